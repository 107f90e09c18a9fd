import type { MockRequest } from '../http/request.js';
import { jsonResponse } from '../http/response.js';
import { REALM } from '../protocol/client-authentication.js';
import type { Endpoint } from '../protocol/endpoint.js';
import { Refusal, type Refused, refuseBlacklisted } from '../protocol/refusal.js';
import type { RuleID } from '../protocol/rules.js';
import type { Grant } from '../state/grants.js';

type Claims = Record<string, unknown>;

const CHALLENGE = `Bearer realm="${REALM}"`;
const CACHING = { 'Cache-Control': 'no-store' };

/** GET and POST /oauth/userinfo. */
export const userinfo: Endpoint = (http, grant) => {
  const token = accessToken(http);
  if (token instanceof Refusal) return failed(token, `${CHALLENGE}, error="invalid_request"`);
  if (token === undefined) {
    return failed(refuse('access-token-required', 401, 'invalid_token', 'no access token provided'), CHALLENGE);
  }
  if (grant === undefined) {
    const description = 'The access token is expired, revoked or unknown';
    const refusal = refuse('access-token-valid', 401, 'invalid_token', description);
    return failed(refusal, `${CHALLENGE}, error="invalid_token"`);
  }
  if (grant.client.isBlacklisted) return refuseBlacklisted();
  if (!grant.accessScope.includes('openid')) {
    const refusal = refuse('userinfo-needs-openid', 403, 'insufficient_scope', 'Requires the scope openid');
    return failed(refusal, `${CHALLENGE}, error="insufficient_scope", scope="openid"`);
  }
  return jsonResponse(200, claimsOf(grant), CACHING);
};

/** @returns the access token; '' for an Authorization header that is not readable. */
function accessToken(http: MockRequest): string | Refusal | undefined {
  const header = http.bearer;
  const form = http.method === 'POST' && http.isForm ? http.form : undefined;
  const inForm = form?.get('access_token');
  const isInQuery = http.query.get('access_token') !== undefined || http.query.repeated.has('access_token');
  const isRepeated = (header !== undefined && inForm !== undefined) || form?.repeated.has('access_token');
  if (isRepeated || isInQuery || form?.malformed || http.query.malformed) {
    const description = 'Send the access token once, and never in the query';
    return refuse('access-token-sent-once', 400, 'invalid_request', description);
  }
  if (header === undefined) return inForm;
  return header === 'malformed' ? '' : header.token;
}

function claimsOf({ account, accessScope }: Grant): Claims {
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

function refuse(rule: RuleID, status: number, error: string, description: string): Refusal {
  return new Refusal(rule, error, description, { status });
}

function failed(refusal: Refusal, challenge?: string): Refused {
  const body = { error: refusal.error, error_description: refusal.description };
  const headers = { ...(challenge !== undefined && { 'WWW-Authenticate': challenge }), ...CACHING };
  return { refusal, response: jsonResponse(refusal.status, body, headers) };
}
