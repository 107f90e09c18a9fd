import type { MockRequest } from '../http/request.js';
import { tokenEndpointResponse } from '../http/response.js';
import { authenticateClient } from '../protocol/client-authentication.js';
import type { Endpoint } from '../protocol/endpoint.js';
import type { IDTokens } from '../protocol/id-token.js';
import { invalidRequest, Refusal } from '../protocol/refusal.js';
import { authorizationCodeGrant } from '../protocol/token/authorization-code-grant.js';
import { refreshTokenGrant } from '../protocol/token/refresh-token-grant.js';
import { checkForm, tokenError } from '../protocol/token/token-request.js';
import { type GrantHandler, type Issued, tokenResponse } from '../protocol/token/token-response.js';
import type { Client, ClientStore } from '../state/clients.js';
import type { GrantStore } from '../state/grants.js';

const GRANT_TYPES: ReadonlyMap<string, GrantHandler> = new Map([
  ['authorization_code', authorizationCodeGrant],
  ['refresh_token', refreshTokenGrant],
]);

/** Creates POST /oauth/token. */
export function createTokenEndpoint(clients: ClientStore, grants: GrantStore, idTokens: IDTokens): Endpoint {
  return async function token(http) {
    const issued = checkForm(http) ?? issueTokens(http, clients, grants);
    if (issued instanceof Refusal) return tokenError(issued);
    return tokenEndpointResponse(200, await tokenResponse(issued, idTokens));
  };
}

function issueTokens(http: MockRequest, clients: ClientStore, grants: GrantStore): Issued | Refusal {
  const client = authenticateClient(http, clients);
  if (client instanceof Refusal) return client;
  const { form } = http;
  const type = form.get('grant_type');
  if (type === undefined) return invalidRequest('grant-type-required', 'grant_type is missing');
  const handler = GRANT_TYPES.get(type);
  if (handler === undefined) {
    const description = 'grant_type must be authorization_code or refresh_token';
    return new Refusal('grant-type-supported', 'unsupported_grant_type', description);
  }
  return checkStatus(client, type) ?? handler(form, client, grants);
}

function checkStatus(client: Client, grantType: string): Refusal | undefined {
  if (client.isBlacklisted) {
    return new Refusal('client-not-blacklisted', 'unauthorized_client', 'This application is blacklisted');
  }
  const registered: readonly string[] = client.registration.grantTypes;
  if (registered.includes(grantType)) return undefined;
  const description = `This client is not registered for grant_type ${grantType}`;
  return new Refusal('grant-type-registered', 'unauthorized_client', description);
}
