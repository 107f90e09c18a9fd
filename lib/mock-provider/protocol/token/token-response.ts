import { applyIDTokenFault } from '../../faults/apply-id-token-fault.js';
import { applyTokenResponseFault } from '../../faults/apply-token-response-fault.js';
import type { FaultContext } from '../../faults/fault-queue.js';
import { PATHS } from '../../http/paths.js';
import type { MockRequest } from '../../http/request.js';
import type { ProviderInstance } from '../../provider-instance.js';
import { epochSeconds } from '../../state/clock.js';
import { draftIDToken, signIDToken } from '../id-token.js';
import type { Issued } from './grant-handler.js';

/** What a token response says, and headers that a fault puts on it. */
export interface TokenResponse {
  readonly body: Record<string, unknown>;
  readonly headers: Record<string, string>;
}

/** @returns a token response (service spec: token response; decisions 51, 56 and 57). */
export async function tokenResponse(
  instance: ProviderInstance,
  http: MockRequest,
  issued: Issued,
): Promise<TokenResponse> {
  const { accessToken, refreshToken, grant, askedScope, isRefresh } = issued;
  const { client, accessScope } = grant;
  const now = instance.clock.now();
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
  const context = { http, endpoint: PATHS.token, client: client.id, grantType };
  if (!grant.scope.includes('openid'))
    return { body: applyTokenResponseFault(instance, response, context), headers: {} };
  const { idToken, headers } = await idTokenFor(instance, issued, now, context);
  return { body: applyTokenResponseFault(instance, { ...response, id_token: idToken }, context), headers };
}

async function idTokenFor(
  instance: ProviderInstance,
  { accessToken, grant, isRefresh }: Issued,
  milliseconds: number,
  context: FaultContext,
): Promise<{ idToken: string; headers: Record<string, string> }> {
  const now = epochSeconds(milliseconds);
  const lifetime = epochSeconds(instance.grants.accessTokenLifetime(grant.client));
  const draft = draftIDToken(instance.keys.signing, instance.issuer, grant, { now, lifetime, accessToken, isRefresh });
  const headers = applyIDTokenFault(instance, draft, context);
  return { idToken: await signIDToken(draft), headers };
}
