import type { Parameters } from '../../http/parameters.js';
import type { Client } from '../../state/clients.js';
import type { GrantStore, IssuedTokens } from '../../state/grants.js';
import type { IDTokens } from '../id-token.js';
import type { Refusal } from '../refusal.js';

/** The tokens of a successful token request. */
export interface Issued extends IssuedTokens {
  /** For the ID Token; undefined for a refresh (OpenID Connect Core section 12.2). */
  readonly nonce?: string | undefined;
}

/** Handles one grant type of the token endpoint. */
export type GrantHandler = (form: Parameters, client: Client, grants: GrantStore) => Issued | Refusal;

/** @returns the members of a token response (service spec: token response). */
export async function tokenResponse(issued: Issued, idTokens: IDTokens): Promise<Record<string, unknown>> {
  const { accessToken, refreshToken, grant, nonce } = issued;
  const { client, accessScope, storedAt: now } = grant;
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: Math.round((grant.accessEndsAt - now) / 1000),
    refresh_token: refreshToken,
    ...(client.flow === 'openid' && { scope: accessScope.join(' ') }),
    ...(accessScope.includes('openid') && {
      id_token: await idTokens.issue(grant.authorization, { now, accessToken, nonce }),
    }),
  };
}
