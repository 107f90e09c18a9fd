import { clientRedirectResponse, clientRedirectURL } from '../http/response.js';
import type { BrowserSessions } from '../interactions/browser-sessions.js';
import type { SignOutPages } from '../interactions/sign-out.js';
import { errorPage } from '../pages/error-page.js';
import type { Endpoint } from '../protocol/endpoint.js';
import type { IDTokens } from '../protocol/id-token.js';
import { logoutRedirect, readLogoutRequest } from '../protocol/logout-request.js';
import { invalidRequest, Refusal } from '../protocol/refusal.js';
import type { ClientStore } from '../state/clients.js';

/** Creates GET and POST /oauth/logout. */
export function createLogoutEndpoint(
  clients: ClientStore,
  idTokens: IDTokens,
  browserSessions: BrowserSessions,
  signOutPages: SignOutPages,
): Endpoint {
  return function logout(http) {
    const request = readLogoutRequest(http.parameters, idTokens, clients);
    if (request instanceof Refusal) {
      return request.rule === 'logout-parameters-required'
        ? signOutPages.confirm(http, request)
        : errorPage(http, request);
    }
    const session = browserSessions.current(http);
    if (session !== undefined && session.account.sub !== request.sub) {
      const refusal = invalidRequest('logout-hint-user', 'id_token_hint is of another user than the signed-in one');
      return signOutPages.confirm(http, refusal, clientRedirectURL(logoutRedirect(request)));
    }
    // 302 also after a POST, as the service spec requires.
    return clientRedirectResponse('GET', logoutRedirect(request), browserSessions.end(http));
  };
}
