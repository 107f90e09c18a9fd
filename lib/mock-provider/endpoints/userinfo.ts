import { type Answer, jsonAnswer } from '../answer.js';
import type { House } from '../house.js';
import { bearerToken } from '../middleware/bearer.js';
import type { MockRequest } from '../request.js';
import type { Account } from '../stores/account.js';

const REALM = 'Bearer realm="passport-clinician mock provider"';
const CORS = { 'Access-Control-Allow-Origin': '*', 'Cache-Control': 'no-store' };

function failed(status: number, error: string, description: string, challenge: string): Answer {
  return jsonAnswer(status, { error, error_description: description }, { 'WWW-Authenticate': challenge, ...CORS });
}

/** Decision 85. */
function claims({ sub, fields, email }: Account, scope: readonly string[]): Record<string, unknown> {
  const basic = scope.includes('basic') && {
    name: fields.fullName,
    given_name: fields.firstName,
    middle_name: fields.middleName,
    family_name: fields.lastName,
    picture: fields.profilePhoto,
  };
  return { sub, ...basic, ...(scope.includes('email') && email !== undefined && { email, email_verified: true }) };
}

/** GET and POST /oauth/userinfo (decisions 83 to 85). */
export function userinfo(house: House, request: MockRequest): Answer {
  const header = bearerToken(request.headers);
  const inForm = request.method === 'POST' && request.isForm ? request.form.get('access_token') : undefined;
  const twice = (header !== undefined && inForm !== undefined) || request.query.get('access_token') !== undefined;
  if (twice || request.form.repeated.has('access_token'))
    return failed(
      400,
      'invalid_request',
      'Send the access token once, and never in the query',
      `${REALM}, error="invalid_request"`,
    );
  const token = header === undefined ? inForm : header === 'malformed' ? '' : header.token;
  if (token === undefined) return failed(401, 'invalid_token', 'no access token provided', REALM);
  const pair = house.grants.byAccessToken(token);
  if (pair === undefined)
    return failed(
      401,
      'invalid_token',
      'The access token is expired, revoked or unknown',
      `${REALM}, error="invalid_token"`,
    );
  if (!pair.scope.includes('openid'))
    return failed(
      403,
      'insufficient_scope',
      'Requires the scope openid',
      `${REALM}, error="insufficient_scope", scope="openid"`,
    );
  return jsonAnswer(200, claims(pair.grant.account, pair.scope), CORS);
}
