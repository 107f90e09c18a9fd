import type { BrowserSessions } from '../interactions/browser-sessions.js';
import type { Dispatch } from '../interactions/dispatcher.js';
import { errorPage } from '../pages/error-page.js';
import type { AuthorizationResponses } from '../protocol/authorization/authorization-response.js';
import type { AuthorizationRequests } from '../protocol/authorization/read-authorization-request.js';
import type { Endpoint } from '../protocol/endpoint.js';
import { invalidRequest } from '../protocol/refusal.js';

/** Creates GET and POST /oauth/authorize. */
export function createAuthorizationEndpoint(
  requests: AuthorizationRequests,
  responses: AuthorizationResponses,
  browserSessions: BrowserSessions,
  dispatch: Dispatch,
): Endpoint {
  return function authorize(http) {
    if (http.method === 'POST' && !http.isForm) {
      return errorPage(
        http,
        invalidRequest('authorization-post-is-form', 'The body must be application/x-www-form-urlencoded'),
      );
    }
    const read = requests.read(http.parameters);
    if ('refusal' in read) {
      return read.target ? responses.refuse(http, read.target, read.refusal) : errorPage(http, read.refusal);
    }
    const session = browserSessions.current(http);
    return dispatch(http, { request: read.request, session, interaction: undefined, cookies: [] });
  };
}
