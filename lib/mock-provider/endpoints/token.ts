import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, TOKEN_HEADERS } from '../http/response.js';
import { authenticateClient } from '../protocol/client-authentication.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import { authorizationCodeGrant } from '../protocol/token/authorization-code-grant.js';
import { checkForm } from '../protocol/token/check-form.js';
import type { GrantHandler, Issued } from '../protocol/token/grant-handler.js';
import { refreshTokenGrant } from '../protocol/token/refresh-token-grant.js';
import { tokenError } from '../protocol/token/token-error.js';
import { tokenResponse } from '../protocol/token/token-response.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Client } from '../state/clients.js';

const GRANT_TYPES: ReadonlyMap<string, GrantHandler> = new Map([
  ['authorization_code', authorizationCodeGrant],
  ['refresh_token', refreshTokenGrant],
]);

/** POST /oauth/token */
export async function token(instance: ProviderInstance, http: MockRequest): Promise<ProviderResponse | Refused> {
  const fault = checkForm(http);
  if (fault) return tokenError(fault);
  const client = authenticateClient(http.headers.authorization, http.form, instance.clients);
  if (client instanceof Refusal) return tokenError(client);
  const issued = issue(instance, http, client);
  if (issued instanceof Refusal) return tokenError(issued);
  return { status: 200, headers: { ...TOKEN_HEADERS }, body: JSON.stringify(await tokenResponse(instance, issued)) };
}

function issue({ grants }: ProviderInstance, { form }: MockRequest, client: Client): Issued | Refusal {
  const type = form.get('grant_type');
  if (type === undefined) return new Refusal('grant-type-required', 'invalid_request', 'grant_type is missing');
  const handler = GRANT_TYPES.get(type);
  if (handler === undefined) {
    const description = 'grant_type must be authorization_code or refresh_token';
    return new Refusal('grant-type-supported', 'unsupported_grant_type', description);
  }
  if (client.isBlacklisted) {
    return new Refusal('client-not-blacklisted', 'unauthorized_client', 'This application is blacklisted');
  }
  if (!client.grantTypes.includes(type)) {
    const description = `This client is not registered for grant_type ${type}`;
    return new Refusal('grant-type-registered', 'unauthorized_client', description);
  }
  return handler(form, client, grants);
}
