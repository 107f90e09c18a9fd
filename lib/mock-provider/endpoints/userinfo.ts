import { bearerToken } from '../http/bearer.js';
import type { MockRequest } from '../http/request.js';
import { jsonResponse, type ProviderResponse } from '../http/response.js';
import { REALM } from '../protocol/client-authentication.js';
import { signIDToken } from '../protocol/id-token.js';
import { Refusal, type Refused } from '../protocol/refusal.js';
import type { RuleID } from '../protocol/rules.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Grant } from '../state/grants.js';

const CHALLENGE = `Bearer realm="${REALM}"`;

/** GET and POST /oauth/userinfo */
export function userinfo(
  instance: ProviderInstance,
  http: MockRequest,
): ProviderResponse | Refused | Promise<ProviderResponse> {
  const token = accessToken(http);
  if (token instanceof Refusal) return failed(token, `${CHALLENGE}, error="invalid_request"`);
  if (token === undefined)
    return failed(refuse('userinfo-token-required', 401, 'invalid_token', 'no access token provided'), CHALLENGE);
  const grant = instance.grants.byAccessToken(token);
  if (grant === undefined) {
    const description = 'The access token is expired, revoked or unknown';
    const refusal = refuse('userinfo-token-valid', 401, 'invalid_token', description);
    return failed(refusal, `${CHALLENGE}, error="invalid_token"`);
  }
  if (!grant.accessScope.includes('openid')) {
    const refusal = refuse('userinfo-needs-openid', 403, 'insufficient_scope', 'Requires the scope openid');
    return failed(refusal, `${CHALLENGE}, error="insufficient_scope", scope="openid"`);
  }
  const claims = claimsOf(grant);
  const caching = { 'Cache-Control': 'no-store' };
  return grant.client.signsUserinfo ? signed(instance, grant, claims) : jsonResponse(200, claims, caching);
}

/** @returns the access token; '' for one that cannot be read. */
function accessToken(http: MockRequest): string | Refusal | undefined {
  const header = bearerToken(http.headers);
  const form = http.method === 'POST' && http.isForm ? http.form : undefined;
  const inForm = form?.get('access_token');
  const isInQuery = http.query.get('access_token') !== undefined || http.query.repeated.has('access_token');
  const isTwice = (header !== undefined && inForm !== undefined) || form?.repeated.has('access_token');
  if (isTwice || isInQuery || form?.malformed || http.query.malformed) {
    const description = 'Send the access token once, and never in the query';
    return refuse('userinfo-token-sent-once', 400, 'invalid_request', description);
  }
  if (header === undefined) return inForm;
  return header === 'malformed' ? '' : header.token;
}

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

function refuse(rule: RuleID, status: number, error: string, description: string): Refusal {
  return new Refusal(rule, error, description, { status });
}

function failed(refusal: Refusal, challenge: string): Refused {
  const body = { error: refusal.error, error_description: refusal.description };
  const headers = { 'WWW-Authenticate': challenge, 'Cache-Control': 'no-store' };
  return { refusal, response: jsonResponse(refusal.status, body, headers) };
}
