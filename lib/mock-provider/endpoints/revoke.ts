import type { MockRequest } from '../http/request.js';
import { emptyResponse, type ProviderResponse } from '../http/response.js';
import { authenticateByBasic } from '../protocol/client-authentication.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import { checkForm } from '../protocol/token/check-form.js';
import { tokenError } from '../protocol/token/token-error.js';
import type { ProviderInstance } from '../provider-instance.js';

/** POST /oauth/revoke */
export function revoke(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const fault = checkForm(http);
  if (fault) return tokenError(fault);
  const client = authenticateByBasic(http.headers.authorization, http.form, instance.clients);
  if (client instanceof Refusal) return tokenError(client);
  const token = http.form.get('token');
  if (token === undefined) {
    return tokenError(new Refusal('revocation-token-required', 'invalid_request', 'token is missing'));
  }
  const grant = instance.grants.byEitherToken(token);
  if (grant && grant.client !== client) {
    const description = 'This token was issued to another client';
    return tokenError(new Refusal('revocation-same-client', 'unauthorized_client', description));
  }
  if (grant) instance.grants.revoke(grant);
  return emptyResponse(200, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
}
