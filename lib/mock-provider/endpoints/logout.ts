import { strikeLogout } from '../faults/apply-redirect-fault.js';
import { parseParameters } from '../http/parameters.js';
import type { MockRequest } from '../http/request.js';
import { type Answer, redirectAnswer } from '../http/response.js';
import { cookieOf } from '../http/session-cookies.js';
import { endSession } from '../interactions/end-session.js';
import { askToSignOut } from '../interactions/sign-out.js';
import { errorAnswer } from '../pages/error-page.js';
import { logoutLocation, readLogoutRequest } from '../protocol/logout-request.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';

/** GET and POST /oauth/logout (decisions 74 to 82). */
export function logout(house: House, http: MockRequest): Answer | Refused {
  const parameters = http.method === 'POST' ? parseParameters(http.search, http.isForm ? http.body : '') : http.query;
  const request = readLogoutRequest(house, parameters);
  if (request instanceof Refusal) {
    if (request.decision === 75) return askToSignOut(house, http, request);
    return { refusal: request, answer: errorAnswer(http, request) };
  }
  const session = house.sessions.get(cookieOf(house, http, 'session'));
  if (session !== undefined && session.account.sub !== request.sub) {
    const refusal = new Refusal('invalid_request', 'id_token_hint names somebody else than is signed in', {
      decision: 79,
      source: 'OpenID Connect RP-Initiated Logout 1.0 section 2',
    });
    return askToSignOut(house, http, refusal, logoutLocation(request));
  }
  // 302 after a POST too, as the service spec says (decision 80).
  const location = logoutLocation({ target: request.target, state: strikeLogout(house, http, request) });
  return redirectAnswer('GET', location, endSession(house, http));
}
