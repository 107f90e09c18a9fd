import { emptyResponse } from '../http/response.js';
import { authenticateByBasic } from '../protocol/client-authentication.js';
import type { Endpoint } from '../protocol/endpoint.js';
import { invalidRequest, Refusal } from '../protocol/refusal.js';
import { checkForm, tokenError } from '../protocol/token/token-request.js';
import type { ClientStore } from '../state/clients.js';
import type { GrantStore } from '../state/grants.js';

/** Creates POST /oauth/revoke. */
export function createRevocationEndpoint(clients: ClientStore, grants: GrantStore): Endpoint {
  return function revoke(http) {
    const refusal = checkForm(http);
    if (refusal) return tokenError(refusal);
    const client = authenticateByBasic(http, clients);
    if (client instanceof Refusal) return tokenError(client);
    const token = http.form.get('token');
    if (token === undefined) {
      return tokenError(invalidRequest('revocation-token-required', 'token is missing'));
    }
    const grant = grants.byEitherToken(token);
    if (grant && grant.client !== client) {
      const description = 'This token was issued to another client';
      return tokenError(new Refusal('revocation-same-client', 'unauthorized_client', description));
    }
    if (grant) grants.revoke(grant);
    return emptyResponse(200, { 'Cache-Control': 'no-store' });
  };
}
