import type { MockRequest } from '../http/request.js';
import { jsonResponse } from '../http/response.js';
import { REALM } from '../protocol/client-authentication.js';
import type { Endpoint } from '../protocol/endpoint.js';
import {
  invalidRequest,
  Refusal,
  type Refused,
  refuse,
  refuseBlacklisted,
  refusedAsJSON,
} from '../protocol/refusal.js';
import type { Grant } from '../state/grants.js';

type Claims = Record<string, unknown>;

/** GET and POST /oauth/userinfo. */
export const userinfo: Endpoint = (http, grant) => {
  const token = accessToken(http);
  if (token instanceof Refusal) return challenged(token, ', error="invalid_request"');
  if (token === undefined) {
    return challenged(refuse('access-token-required', 401, 'no access token provided', 'invalid_token'), '');
  }
  if (grant === undefined) {
    const description = 'The access token is expired, revoked or unknown';
    return challenged(refuse('access-token-valid', 401, description, 'invalid_token'), ', error="invalid_token"');
  }
  if (grant.client.isBlacklisted) return refuseBlacklisted();
  if (!grant.accessScope.includes('openid')) {
    const refusal = refuse('userinfo-needs-openid', 403, 'Requires the scope openid', 'insufficient_scope');
    return challenged(refusal, ', error="insufficient_scope", scope="openid"');
  }
  return jsonResponse(200, claimsOf(grant), { 'Cache-Control': 'no-store' });
};

/** @returns the access token; '' for an Authorization header that is not readable. */
function accessToken(http: MockRequest): string | Refusal | undefined {
  const header = http.bearer;
  const form = http.method === 'POST' && http.isForm ? http.form : undefined;
  const inForm = form?.get('access_token');
  const isInQuery = http.query.get('access_token') !== undefined || http.query.repeated.has('access_token');
  const isRepeated = (header !== undefined && inForm !== undefined) || form?.repeated.has('access_token');
  if (isRepeated || isInQuery || form?.malformed || http.query.malformed) {
    return invalidRequest('access-token-sent-once', 'Send the access token once, and never in the query');
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

/** @param error the part of the challenge after the realm */
function challenged(refusal: Refusal, error: string): Refused {
  return refusedAsJSON(refusal, { 'WWW-Authenticate': `Bearer realm="${REALM}"${error}` });
}
