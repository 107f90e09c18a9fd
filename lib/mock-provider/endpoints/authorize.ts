import { parseParameters } from '../http/parameters.js';
import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { cookieOf } from '../http/session-cookies.js';
import { dispatch } from '../interactions/dispatcher.js';
import { errorResponse } from '../pages/error-page.js';
import { respondError } from '../protocol/authorization/authorization-response.js';
import { readAuthorizationRequest } from '../protocol/authorization/read-authorization-request.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';

/** GET and POST /oauth/authorize */
export async function authorize(instance: ProviderInstance, http: MockRequest): Promise<ProviderResponse | Refused> {
  if (http.method === 'POST' && !http.isForm) {
    const description = 'The body must be application/x-www-form-urlencoded';
    const refusal = new Refusal('authorization-post-is-form', 'invalid_request', description);
    return { refusal, response: errorResponse(http, refusal) };
  }
  const parameters = http.method === 'POST' ? parseParameters(http.search, http.body) : http.query;
  const read = readAuthorizationRequest(instance, parameters);
  if ('refusal' in read) {
    const { refusal, target } = read;
    const response = target ? respondError(instance, http, target, refusal) : errorResponse(http, refusal);
    return { refusal, response };
  }
  const session = instance.sessions.get(cookieOf(instance, http, 'session'));
  return dispatch(instance, http, { request: read.request, session, interaction: undefined, cookies: [] });
}
