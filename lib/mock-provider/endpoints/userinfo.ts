import { bearerToken } from '../http/bearer.js';
import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import { REALM } from '../protocol/client-authentication.js';
import { signIDToken } from '../protocol/id-token.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Grant } from '../state/grants.js';

const CHALLENGE = `Bearer realm="${REALM}"`;

/** GET and POST /oauth/userinfo (decisions 83 to 85b). */
export function userinfo(
  instance: ProviderInstance,
  http: MockRequest,
): ProviderResponse | Refused | Promise<ProviderResponse> {
  const token = accessToken(http);
  if (token instanceof Refusal) return failed(token, `${CHALLENGE}, error="invalid_request"`);
  if (token === undefined) return failed(refuse(401, 'invalid_token', 'no access token provided', 84), CHALLENGE);
  const grant = instance.grants.byAccessToken(token);
  if (grant === undefined) {
    const refusal = refuse(401, 'invalid_token', 'The access token is expired, revoked or unknown', 84);
    return failed(refusal, `${CHALLENGE}, error="invalid_token"`);
  }
  if (!grant.accessScope.includes('openid')) {
    const refusal = refuse(403, 'insufficient_scope', 'Requires the scope openid', 84);
    return failed(refusal, `${CHALLENGE}, error="insufficient_scope", scope="openid"`);
  }
  const claims = claimsOf(grant);
  const caching = { 'Cache-Control': 'no-store' };
  return grant.client.signsUserinfo ? signed(instance, grant, claims) : jsonResponse(200, claims, caching);
}

/** Decision 83: in the header or in a form, once, and never in the query. '' stands for one that cannot be read. */
function accessToken(http: MockRequest): string | Refusal | undefined {
  const header = bearerToken(http.headers);
  const form = http.method === 'POST' && http.isForm ? http.form : undefined;
  const inForm = form?.get('access_token');
  const isInQuery = http.query.get('access_token') !== undefined || http.query.repeated.has('access_token');
  const isTwice = (header !== undefined && inForm !== undefined) || form?.repeated.has('access_token');
  if (isTwice || isInQuery || form?.malformed || http.query.malformed) {
    return refuse(400, 'invalid_request', 'Send the access token once, and never in the query', 83);
  }
  if (header === undefined) return inForm;
  return header === 'malformed' ? '' : header.token;
}

/** Decision 85. */
function claimsOf({ account, accessScope }: Grant): Record<string, unknown> {
  const { sub, fields, email } = account;
  const basic = accessScope.includes('basic') && {
    name: fields.fullName,
    given_name: fields.firstName,
    middle_name: fields.middleName,
    family_name: fields.lastName,
    picture: fields.profilePhoto,
  };
  const withEmail = accessScope.includes('email') && email !== undefined;
  return { sub, ...basic, ...(withEmail && { email, email_verified: true }) };
}

/** Decision 85b. */
async function signed(
  instance: ProviderInstance,
  { client }: Grant,
  claims: Record<string, unknown>,
): Promise<ProviderResponse> {
  const key = instance.keys.signing;
  const header = { alg: 'RS256', kid: key.kid };
  const body = await signIDToken({ key, header, claims: { iss: instance.issuer, aud: client.id, ...claims } });
  return { status: 200, headers: { 'Content-Type': 'application/jwt', 'Cache-Control': 'no-store' }, body };
}

function refuse(status: number, error: string, description: string, decision: number): Refusal {
  return new Refusal(error, description, { decision, source: 'RFC 6750 section 3.1', status });
}

function failed(refusal: Refusal, challenge: string): Refused {
  const body = { error: refusal.error, error_description: refusal.description };
  const headers = { 'WWW-Authenticate': challenge, 'Cache-Control': 'no-store' };
  return { refusal, answer: jsonResponse(refusal.status, body, headers) };
}
