import { parseParameters } from '../http/parameters.js';
import type { MockRequest } from '../http/request.js';
import { clientRedirectResponse, clientRedirectURL, type ProviderResponse } from '../http/response.js';
import { cookieOf } from '../http/session-cookies.js';
import { endSession } from '../interactions/end-session.js';
import { confirmSignOut } from '../interactions/sign-out.js';
import { errorAnswer } from '../pages/error-page.js';
import { logoutRedirect, readLogoutRequest } from '../protocol/logout-request.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';

/** GET and POST /oauth/logout (decisions 74 to 82). */
export function logout(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const parameters = http.method === 'POST' ? parseParameters(http.search, http.isForm ? http.body : '') : http.query;
  const request = readLogoutRequest(instance, parameters);
  if (request instanceof Refusal) {
    if (request.decision === 75) return confirmSignOut(instance, http, request);
    return { refusal: request, answer: errorAnswer(http, request) };
  }
  const session = instance.sessions.get(cookieOf(instance, http, 'session'));
  if (session !== undefined && session.account.sub !== request.sub) {
    const refusal = new Refusal('invalid_request', 'id_token_hint names somebody else than is signed in', {
      decision: 79,
      source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    });
    return confirmSignOut(instance, http, refusal, clientRedirectURL(logoutRedirect(request)));
  }
  // 302 after a POST too, as the service spec says (decision 80).
  return clientRedirectResponse('GET', logoutRedirect(request), endSession(instance, http));
}
