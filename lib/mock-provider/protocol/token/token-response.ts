import { epochSeconds } from '../../clock.js';
import { spoilIDToken } from '../../faults/faults.js';
import type { House } from '../../house.js';
import { PATHS } from '../../paths.js';
import { draftIDToken, signIDToken } from '../id-token.js';
import type { Issued } from './grant-handler.js';

/** @returns the body of a token response (service spec: token response; decisions 51, 56 and 57). */
export function tokenResponse(
  house: House,
  issued: Issued,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const { accessToken, refreshToken, grant, askedScope } = issued;
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
  if (!grant.scope.includes('openid')) return response;
  return idTokenFor(house, issued, now).then((idToken) => ({ ...response, id_token: idToken }));
}

function idTokenFor(house: House, { accessToken, grant, isRefresh }: Issued, milliseconds: number): Promise<string> {
  const now = epochSeconds(milliseconds);
  const lifetime = epochSeconds(house.grants.accessTokenLifetime(grant.client));
  const draft = draftIDToken(house.keys.signing, house.issuer, grant, { now, lifetime, accessToken, isRefresh });
  const fault = house.faults.strike('id_token', PATHS.token, grant.client.id);
  if (fault) spoilIDToken(fault.name, draft);
  return signIDToken(draft);
}
