import type { MockRequest } from '../http/request.js';
import { emptyResponse, type ProviderResponse } from '../http/response.js';
import { authenticateByBasic } from '../protocol/client-authentication.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import { checkForm } from '../protocol/token/check-form.js';
import { tokenError } from '../protocol/token/token-error.js';
import type { ProviderInstance } from '../provider-instance.js';

const SOURCE = 'RFC 7009 section 2.1';

/** POST /oauth/revoke (decisions 59 to 63). */
export function revoke(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const fault = checkForm(http);
  if (fault) return tokenError(fault);
  const client = authenticateByBasic(http.headers.authorization, http.form, instance.clients);
  if (client instanceof Refusal) return tokenError(client);
  const token = http.form.get('token');
  if (token === undefined) {
    return tokenError(new Refusal('invalid_request', 'token is missing', { decision: 60, source: SOURCE }));
  }
  const grant = instance.grants.byEitherToken(token);
  if (grant && grant.client !== client) {
    const description = 'This token was issued to another client';
    return tokenError(new Refusal('unauthorized_client', description, { decision: 62, source: SOURCE }));
  }
  if (grant) instance.grants.revoke(grant);
  return emptyResponse(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
}
