import type { ProviderInstance } from '../../provider-instance.js';
import { epochSeconds } from '../../state/clock.js';
import { draftIDToken, signIDToken } from '../id-token.js';
import type { Issued } from './grant-handler.js';

/** @returns the members of a token response (service spec: token response). */
export async function tokenResponse(instance: ProviderInstance, issued: Issued): Promise<Record<string, unknown>> {
  const { accessToken, refreshToken, grant, requestedScope } = issued;
  const { client, accessScope } = grant;
  const now = instance.clock.now();
  const isAsRequested =
    requestedScope.length === accessScope.length && requestedScope.every((word) => accessScope.includes(word));
  return {
    access_token: accessToken,
    token_type: 'bearer',
    // Up: the clock may have gone on by a millisecond since the pair was made.
    expires_in: Math.max(0, Math.ceil((grant.accessEndsAt - now) / 1000)),
    refresh_token: refreshToken,
    ...((client.flow === 'openid' || !isAsRequested) && { scope: accessScope.join(' ') }),
    ...(grant.scope.includes('openid') && { id_token: await idTokenFor(instance, issued, epochSeconds(now)) }),
  };
}

function idTokenFor(
  instance: ProviderInstance,
  { accessToken, grant, isRefresh }: Issued,
  now: number,
): Promise<string> {
  const lifetime = epochSeconds(instance.grants.accessTokenLifetime(grant.client));
  return signIDToken(
    draftIDToken(instance.keys.signing, instance.issuer, grant, { now, lifetime, accessToken, isRefresh }),
  );
}
