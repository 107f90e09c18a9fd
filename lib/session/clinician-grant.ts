import type { Clock } from '../async/clock.js';
import { refreshTokenMissing } from '../errors/errors.js';
import type { ResourceAPI } from '../resource-api/resource-api.js';
import type { TokenVault } from '../token-vault/token-vault.js';
import type { GrantAPIs } from './grant-apis.js';

/** The state of the tokens of one login, without the tokens. */
export interface TokenState {
  /** When the access token expires, in milliseconds since the Unix epoch. If it is used shortly before that, it is refreshed. */
  expiresAt: number;
  scope: readonly string[];
  /** Whether the access token can be refreshed. */
  refreshable: boolean;
}

/** Manages the tokens of one login without exposing them. */
export interface ClinicianGrant {
  /** The resource API with these tokens, refreshed as needed. */
  readonly api: ResourceAPI;
  /** @returns undefined if they are revoked, or if the service has ended them. */
  state(): Promise<TokenState | undefined>;
  /**
   * Refreshes the access token, even before it expires. Throws {@link SignInRequiredError} when the service refuses. If the
   * service sent no refresh token, the code is `refresh_token_missing`, and the login continues until its access token expires.
   * Throws the retryable `refresh_busy` if another process takes longer than a second to refresh these tokens.
   */
  refresh(): Promise<void>;
  /** Revokes the tokens at the service and erases them here, which ends the login. Safe to repeat. */
  revoke(): Promise<void>;
}

/** @internal */
export interface GrantParts {
  vault: Pick<TokenVault, 'find'>;
  apis: Pick<GrantAPIs, 'of'>;
  clock: Clock;
  refresh: (grantID: string) => Promise<void>;
  /** Revokes and erases. */
  revoke: (grantID: string) => Promise<unknown>;
}

/** Does not read anything before a method is called. @internal */
export function createGrant(grantID: string, { vault, apis, clock, refresh, revoke }: GrantParts): ClinicianGrant {
  const stored = async () => (await vault.find(grantID))?.tokens;
  return {
    get api() {
      return apis.of(grantID);
    },
    async state() {
      const tokens = await stored();
      if (!tokens) return undefined;
      return { expiresAt: tokens.expiresAt, scope: tokens.scope, refreshable: tokens.refreshToken !== undefined };
    },
    async refresh() {
      const tokens = await stored();
      // The access token is still valid, so the login continues.
      if (tokens && !tokens.refreshToken && clock.now() < tokens.expiresAt) throw refreshTokenMissing();
      await refresh(grantID);
    },
    revoke: async () => void (await revoke(grantID)),
  };
}
