import { deserializeTokenSet, serializeTokenSet, type TokenSet } from '../authorization-server/token-set.js';
import { ConfigurationError, isClinicianError } from '../errors.js';
import { codeOf, type Events } from '../events.js';
import type { ResolvedOptions } from '../options/options.js';
import { type CachedResponse, createConditionalCache } from '../resource-api/conditional-cache.js';
import { createRateBudgets } from '../resource-api/rate-budget.js';
import { createResourceAPI, type ResourceAPI } from '../resource-api/resource-api.js';
import type { Login } from '../sign-in/login.js';
import { createForget } from '../token-vault/forget.js';
import { endsTheGrant } from '../token-vault/grant-refresher.js';
import { createSealer } from '../token-vault/sealer.js';
import type { TokenStore } from '../token-vault/token-store.js';
import { createTokenVault, type TokenVault } from '../token-vault/token-vault.js';
import { withTimeout } from '../with-timeout.js';

const REVOCATION_PATIENCE = 2000;

/** What may be told of the tokens of one login: never a token. */
export interface TokenState {
  /** When the access token ends, in milliseconds since the Unix epoch. It is refreshed before that when it is used. */
  expiresAt: number;
  scope: readonly string[];
  /** Whether the access token can be refreshed. */
  refreshable: boolean;
}

/** The tokens of one login, by what can be done with them. */
export interface ClinicianGrant {
  /** The resource API with these tokens, refreshed as needed. */
  readonly api: ResourceAPI;
  /** @returns undefined when they are gone: revoked, or ended by the service. */
  state(): Promise<TokenState | undefined>;
  /** Refreshes now, whether it is time or not. Throws {@link SignInRequiredError} when the service refuses. */
  refresh(): Promise<void>;
  /** Revokes them at the service and erases them: when the person unlinks this site, is removed, or must connect anew. Safe to repeat. */
  revoke(): Promise<void>;
}

/** The tokens of every login: kept, used, refreshed, revoked. @internal */
export interface TokenManager {
  vault: TokenVault<TokenSet>;
  /** Between requests only, so that the next one asks with If-None-Match. */
  cacheProfile(grantID: string, answer: CachedResponse): void;
  /** With the id that the profile had at the sign-in, where it was read: another one is refused. */
  grant(grantID: string, profileID?: string): ClinicianGrant;
  /** Revokes at the service, and never throws: the person's logout does not hang on it. */
  revoke(tokens: TokenSet, userID?: string): Promise<void>;
  /** Erases and revokes. @returns what was kept. */
  revokeAndDelete(grantID: string, userID?: string): Promise<TokenSet | undefined>;
  /** Erases and revokes everything of one user. */
  forgetUser(userID: string): Promise<void>;
}

export interface TokenManagerOptions {
  resolved: ResolvedOptions;
  login: Login;
  store: TokenStore;
  events: Events;
  /** Told of a login that is over, by whatever end. */
  onEnd?: (grantID: string) => void;
}

export function createTokenManager({ resolved, login, store, events, onEnd }: TokenManagerOptions): TokenManager {
  const { apiURL, clock, fetch } = resolved;
  const { server } = login;
  const profiles = createConditionalCache({ clock });
  const budgets = createRateBudgets({ clock });

  async function refresh(tokens: TokenSet): Promise<TokenSet> {
    try {
      const refreshed = await server.refresh(tokens);
      events.emit('refreshed', { userID: tokens.subject });
      return refreshed;
    } catch (error) {
      events.emit('refresh_failed', { userID: tokens.subject, code: codeOf(error) });
      throw error;
    }
  }

  const vault = createTokenVault<TokenSet, ReturnType<typeof serializeTokenSet>>({
    store,
    sealer: createSealer(resolved.secrets, 'tokens'),
    clock,
    refresh,
    revoke: (tokens) => server.revoke(tokens.refreshToken ?? tokens.accessToken),
    freeze: serializeTokenSet,
    thaw: deserializeTokenSet,
  });

  function ended(grantID: string): void {
    profiles.slot(grantID).clear();
    onEnd?.(grantID);
  }

  async function accessToken(grantID: string, refused?: string): Promise<string> {
    try {
      return await vault.accessToken(grantID, { refused });
    } catch (error) {
      if (endsTheGrant(error) || (isClinicianError(error) && error.remedy === 'sign_in')) ended(grantID);
      throw error;
    }
  }

  function apiOf(grantID: string, profileID: string | undefined): ResourceAPI {
    if (!apiURL) {
      throw new ConfigurationError(
        'option_missing',
        "passport-clinician: option 'apiURL' is missing: the resource API's address.",
      );
    }
    const tokens = { accessToken: (refused?: string) => accessToken(grantID, refused) };
    return createResourceAPI({
      apiURL,
      fetch,
      clock,
      tokens,
      cache: profiles.slot(grantID),
      budget: budgets.slot(grantID),
      profileID,
    });
  }

  async function revokeNow(tokens: TokenSet, userID = tokens.subject): Promise<void> {
    try {
      await withTimeout(REVOCATION_PATIENCE, server.revoke(tokens.refreshToken ?? tokens.accessToken));
      events.emit('revoked', { userID });
    } catch (error) {
      events.emit('revocation_failed', { userID, code: codeOf(error) });
      events.warn({
        code: 'revocation_failed',
        message: 'The tokens of a login that ended could not be revoked at the service; they expire by themselves.',
      });
      throw error;
    }
  }

  async function revoke(tokens: TokenSet, userID?: string): Promise<void> {
    await revokeNow(tokens, userID).catch(() => undefined);
  }

  async function retire(grantID: string, userID?: string): Promise<TokenSet | undefined> {
    ended(grantID);
    const tokens = await vault.forget(grantID);
    if (tokens) await revoke(tokens, userID);
    return tokens;
  }

  async function state(grantID: string): Promise<TokenState | undefined> {
    const tokens = await vault.tokens(grantID);
    if (!tokens) return undefined;
    return { expiresAt: tokens.expiresAt, scope: tokens.scope, refreshable: tokens.refreshToken !== undefined };
  }

  async function refreshNow(grantID: string): Promise<void> {
    await accessToken(grantID, (await vault.tokens(grantID))?.accessToken.reveal());
  }

  return {
    vault,
    cacheProfile: (grantID, answer) => profiles.slot(grantID).write(answer),
    grant: (grantID, profileID) => ({
      get api() {
        return apiOf(grantID, profileID);
      },
      state: () => state(grantID),
      refresh: () => refreshNow(grantID),
      revoke: async () => void (await retire(grantID)),
    }),
    revoke,
    revokeAndDelete: retire,
    async forgetUser(userID) {
      const forget = createForget({ vault, revoke: (tokens) => revokeNow(tokens, userID), onErase: ended });
      const { logins } = await forget(userID);
      events.emit('forgotten', { userID, logins });
    },
  };
}
