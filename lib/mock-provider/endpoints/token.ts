import { type Answer, TOKEN_HEADERS } from '../answer.js';
import { spoilIDToken } from '../faults/faults.js';
import type { House } from '../house.js';
import { authenticateClient } from '../protocol/client-authentication.js';
import { draftIDToken, signIDToken } from '../protocol/id-token.js';
import { PATHS } from '../protocol/metadata.js';
import { GRANT_TYPES, type Issued } from '../protocol/token/grants.js';
import { Refusal } from '../refusal.js';
import type { MockRequest } from '../request.js';
import type { Client } from '../stores/clients.js';

/** A refusal of the token or revocation endpoint (decisions 41, 44). */
export function tokenError({ error, description, status }: Refusal): Answer {
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Basic realm="passport-clinician mock provider"' } : {};
  const body = JSON.stringify({ error, error_description: description });
  return { status, headers: { ...TOKEN_HEADERS, ...challenge }, body };
}

function invalidRequest(description: string, decision: number): Refusal {
  return new Refusal('invalid_request', description, { decision, source: 'RFC 6749 section 3.2' });
}

/** What both form endpoints want of a request before they look at who asks (decisions 5, 40, 42). */
export function checkForm(request: MockRequest): Refusal | undefined {
  if (!request.isForm) return invalidRequest('The body must be application/x-www-form-urlencoded', 40);
  if (request.search !== '') return invalidRequest('Parameters must be in the body, not in the query', 40);
  if (request.form.malformed) return invalidRequest('The body is not well-formed', 40);
  const [repeated] = request.form.repeated;
  return repeated === undefined ? undefined : invalidRequest(`${repeated} was sent more than once`, 5);
}

function issue(house: House, request: MockRequest, client: Client): Issued | Refusal {
  const type = request.form.get('grant_type');
  if (type === undefined)
    return new Refusal('invalid_request', 'grant_type is missing', { decision: 47, source: 'RFC 6749 section 5.2' });
  const handler = GRANT_TYPES.get(type);
  if (handler === undefined)
    return new Refusal('unsupported_grant_type', 'grant_type must be authorization_code or refresh_token', {
      decision: 47,
      source: 'RFC 6749 section 5.2',
    });
  return handler(request.form, client, house.grants);
}

async function body(house: House, issued: Issued): Promise<Record<string, unknown>> {
  const { accessToken, refreshToken, pair, nonce } = issued;
  const { grant, scope } = pair;
  const lifetime = house.grants.accessTokenLifetime(grant.client);
  const openid = grant.client.flow === 'openid';
  const narrowed = grant.askedScope.some((word) => !scope.includes(word));
  const response: Record<string, unknown> = {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: Math.floor(lifetime / 1000),
    refresh_token: refreshToken,
    ...((openid || narrowed) && { scope: scope.join(' ') }),
  };
  if (!openid || !grant.scope.includes('openid')) return response;
  const draft = draftIDToken(house.keys.signing, {
    issuer: house.issuer,
    grant,
    now: house.clock.now(),
    lifetime,
    nonce,
    accessToken,
  });
  const fault = house.faults.strike('id_token', PATHS.token, grant.client.id);
  if (fault) spoilIDToken(fault.name, draft);
  return { ...response, id_token: await signIDToken(draft) };
}

/** POST /oauth/token (decisions 40 to 58). */
export async function token(house: House, request: MockRequest): Promise<Answer | Refusal> {
  const fault = checkForm(request);
  if (fault) return fault;
  const client = authenticateClient(request.headers.authorization, request.form, house.clients);
  if (client instanceof Refusal) return client;
  const issued = issue(house, request, client);
  if (issued instanceof Refusal) return issued;
  return { status: 200, headers: { ...TOKEN_HEADERS }, body: JSON.stringify(await body(house, issued)) };
}
