import { type Answer, emptyAnswer } from '../answer.js';
import type { House } from '../house.js';
import { authenticateClient } from '../protocol/client-authentication.js';
import { Refusal } from '../refusal.js';
import type { MockRequest } from '../request.js';
import { checkForm } from './token.js';

/** POST /oauth/revoke (decisions 59 to 63). */
export function revoke(house: House, request: MockRequest): Answer | Refusal {
  const fault = checkForm(request);
  if (fault) return fault;
  const client = authenticateClient(request.headers.authorization, request.form, house.clients, { basicOnly: true });
  if (client instanceof Refusal) return client;
  const value = request.form.get('token');
  if (value === undefined)
    return new Refusal('invalid_request', 'token is missing', { decision: 60, source: 'RFC 7009 section 2.1' });
  const pair = house.grants.byAccessToken(value) ?? house.grants.byRefreshToken(value);
  if (pair !== undefined && pair.grant.client !== client) {
    return new Refusal('unauthorized_client', 'This token is not of this client', {
      decision: 62,
      source: 'RFC 7009 section 2.1',
    });
  }
  if (pair !== undefined && !pair.isSpent) house.grants.end(pair);
  return emptyAnswer(200, { 'Content-Type': 'application/json', 'Content-Length': '0', 'Cache-Control': 'no-store' });
}
