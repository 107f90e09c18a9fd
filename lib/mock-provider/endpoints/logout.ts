import { parseParameters } from '../http/parameters.js';
import type { MockRequest } from '../http/request.js';
import { clientRedirectResponse, clientRedirectURL, type ProviderResponse } from '../http/response.js';
import { cookieOf } from '../http/session-cookies.js';
import { endSession } from '../interactions/end-session.js';
import { confirmSignOut } from '../interactions/sign-out.js';
import { errorResponse } from '../pages/error-page.js';
import { logoutRedirect, readLogoutRequest } from '../protocol/logout-request.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';

/** GET and POST /oauth/logout */
export function logout(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const parameters = http.method === 'POST' ? parseParameters(http.search, http.isForm ? http.body : '') : http.query;
  const request = readLogoutRequest(instance, parameters);
  if (request instanceof Refusal) {
    if (request.rule === 'logout-parameters-required') return confirmSignOut(instance, http, request);
    return { refusal: request, response: errorResponse(http, request) };
  }
  const session = instance.sessions.get(cookieOf(instance, http, 'session'));
  if (session !== undefined && session.account.sub !== request.sub) {
    const description = 'id_token_hint is of another user than the signed-in one';
    const refusal = new Refusal('logout-hint-user', 'invalid_request', description);
    return confirmSignOut(instance, http, refusal, clientRedirectURL(logoutRedirect(request)));
  }
  // 302 also after a POST, as the service spec says.
  return clientRedirectResponse('GET', logoutRedirect(request), endSession(instance, http));
}
