import type { Cookies } from '../http/cookies.js';
import type { Dispatch } from '../interactions/dispatcher.js';
import { errorPage } from '../pages/error-page.js';
import type { AuthorizationResponses } from '../protocol/authorization/authorization-response.js';
import { type Registrations, readAuthorizationRequest } from '../protocol/authorization/read-authorization-request.js';
import type { Endpoint } from '../protocol/endpoint.js';
import { Refusal } from '../protocol/refusal.js';
import type { SessionStore } from '../state/sessions.js';

interface Dependencies extends Registrations {
  readonly sessions: Pick<SessionStore, 'get'>;
  readonly cookies: Cookies;
  readonly responses: Pick<AuthorizationResponses, 'refuse'>;
  readonly dispatch: Dispatch;
}

/** Creates GET and POST /oauth/authorize. */
export function createAuthorizationEndpoint(dependencies: Dependencies): Endpoint {
  const { sessions, cookies, responses, dispatch } = dependencies;
  return function authorize(http) {
    if (http.method === 'POST' && !http.isForm) {
      const description = 'The body must be application/x-www-form-urlencoded';
      return errorPage(http, new Refusal('authorization-post-is-form', 'invalid_request', description));
    }
    const read = readAuthorizationRequest(http.parameters, dependencies);
    if ('refusal' in read) {
      return read.target ? responses.refuse(http, read.target, read.refusal) : errorPage(http, read.refusal);
    }
    const session = sessions.get(cookies.read(http, 'session'));
    return dispatch(http, { request: read.request, session, interaction: undefined, cookies: [] });
  };
}
