import { strikeIDToken } from '../../faults/apply-id-token-fault.js';
import { strikeTokenResponse } from '../../faults/apply-token-response-fault.js';
import type { Occasion } from '../../faults/fault-queue.js';
import { PATHS } from '../../http/paths.js';
import type { MockRequest } from '../../http/request.js';
import type { House } from '../../provider-instance.js';
import { epochSeconds } from '../../state/clock.js';
import { draftIDToken, signIDToken } from '../id-token.js';
import type { Issued } from './grant-handler.js';

/** What a token response says, and headers that a fault puts on it. */
export interface TokenResponse {
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

/** @returns a token response (service spec: token response; decisions 51, 56 and 57). */
export async function tokenResponse(house: House, http: MockRequest, issued: Issued): Promise<TokenResponse> {
  const { accessToken, refreshToken, grant, askedScope, isRefresh } = issued;
  const { client, accessScope } = grant;
  const now = house.clock.now();
  const isAsAsked = askedScope.length === accessScope.length && askedScope.every((word) => accessScope.includes(word));
  const response = {
    access_token: accessToken,
    token_type: 'bearer',
    // Up: the clock may have gone on by a millisecond since the pair was made.
    expires_in: Math.max(0, Math.ceil((grant.accessEndsAt - now) / 1000)),
    refresh_token: refreshToken,
    ...((client.flow === 'openid' || !isAsAsked) && { scope: accessScope.join(' ') }),
  };
  const grantType = isRefresh ? 'refresh_token' : 'authorization_code';
  const occasion = { http, endpoint: PATHS.token, client: client.id, grantType };
  if (!grant.scope.includes('openid')) return { body: strikeTokenResponse(house, response, occasion), headers: {} };
  const { idToken, headers } = await idTokenFor(house, issued, now, occasion);
  return { body: strikeTokenResponse(house, { ...response, id_token: idToken }, occasion), headers };
}

async function idTokenFor(
  house: House,
  { accessToken, grant, isRefresh }: Issued,
  milliseconds: number,
  occasion: Occasion,
): Promise<{ idToken: string; headers: Record<string, string> }> {
  const now = epochSeconds(milliseconds);
  const lifetime = epochSeconds(house.grants.accessTokenLifetime(grant.client));
  const draft = draftIDToken(house.keys.signing, house.issuer, grant, { now, lifetime, accessToken, isRefresh });
  const headers = strikeIDToken(house, draft, occasion);
  return { idToken: await signIDToken(draft), headers };
}
