import { type Answer, redirectAnswer } from '../answer.js';
import type { House } from '../house.js';
import { askToSignOut } from '../interactions/sign-out.js';
import { errorAnswer } from '../pages/error-page.js';
import { parseParameters } from '../parameters.js';
import { readOwnIDToken } from '../protocol/id-token.js';
import { randomToken } from '../random.js';
import type { Refused } from '../refusal.js';
import { Refusal } from '../refusal.js';
import type { MockRequest } from '../request.js';
import { COOKIES, cookie } from './cookies.js';

const SOURCE = 'OpenID Connect RP-Initiated Logout 1.0 section 2';

/** GET and POST /oauth/logout (decisions 74 to 80). */
export function logout(house: House, http: MockRequest): Answer | Refused {
  const refusalOf = (description: string, decision: number) =>
    new Refusal('invalid_request', description, { decision, source: SOURCE });
  const refuse = (description: string, decision: number): Refused => {
    const refusal = refusalOf(description, decision);
    return { refusal, answer: errorAnswer(http, refusal) };
  };
  const parameters = http.method === 'POST' ? parseParameters(http.search, http.isForm ? http.body : '') : http.query;
  if (parameters.malformed || parameters.repeated.size > 0)
    return refuse('A parameter was sent more than once, or is not well-formed', 74);
  const hint = parameters.get('id_token_hint');
  const target = parameters.get('post_logout_redirect_uri');
  if (hint === undefined || target === undefined) {
    const missing = hint === undefined ? 'id_token_hint' : 'post_logout_redirect_uri';
    return askToSignOut(house, http, refusalOf(`${missing} is missing`, 75));
  }
  const claims = readOwnIDToken(hint, house.keys, house.issuer);
  const client = typeof claims?.azp === 'string' ? house.clients.get(claims.azp) : undefined;
  if (client === undefined) return refuse('id_token_hint is not an ID Token of this provider', 76);
  const named = parameters.get('client_id');
  if (named !== undefined && named !== client.id) return refuse('client_id is not the one of id_token_hint', 77);
  if (!client.acceptsPostLogoutRedirectURI(target))
    return refuse('post_logout_redirect_uri is not registered for the client, byte for byte', 78);
  const id = http.cookie(COOKIES.session);
  const session = house.sessions.get(id);
  const state = parameters.get('state');
  const glue = target.includes('?') ? '&' : '?';
  const location = state === undefined ? target : `${target}${glue}state=${encodeURIComponent(state)}`;
  if (session !== undefined && session.account.sub !== claims?.sub)
    return askToSignOut(house, http, refusalOf('id_token_hint names somebody else than is signed in', 79), location);
  house.sessions.end(id);
  const answer = redirectAnswer('GET', location, [
    cookie(house, 'session', ''),
    cookie(house, 'browserState', randomToken()),
  ]);
  return answer;
}
