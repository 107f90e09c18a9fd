import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { FlowName } from '../authorization-server/flows.js';
import { deserializeTokenSet, serializeTokenSet, type TokenSet } from '../authorization-server/token-set.js';
import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import { WARNING_CODES } from '../error-codes.js';
import { type ClinicianError, ConfigurationError, isClinicianError, refreshTokenMissing } from '../errors.js';
import type { Events } from '../events.js';
import type { Fetch } from '../http.js';
import { watchStore } from '../outages.js';
import { type PendingWork, trackMethods } from '../pending-work.js';
import type { RequestLimits, ResourceAPI } from '../resource-api/resource-api.js';
import { Sealer } from '../sealer.js';
import type { Secret } from '../secret.js';
import type { VaultGrant } from '../token-vault/grant-records.js';
import { endsGrant } from '../token-vault/grant-refresher.js';
import { createProfileStore, type ProfileStore } from '../token-vault/profile-store.js';
import { instanceID, type TokenStore, wrapStoreErrors } from '../token-vault/token-store.js';
import { TokenVault } from '../token-vault/token-vault.js';
import { trace } from '../tracing.js';
import { createGrantAPIs, type GrantAPIs } from './grant-api.js';
import type { SiteSessionStore, StoredSession } from './session-store.js';
import { createTokenErasure, reportFailure, type TokenErasure } from './token-erasure.js';

/** Holds the state of the tokens of one login, without the tokens. */
export interface TokenState {
  /** When the access token expires, in milliseconds since the Unix epoch. A use shortly before that refreshes it. */
  expiresAt: number;
  scope: readonly string[];
  /** Whether the access token can be refreshed. */
  refreshable: boolean;
}

/** Manages the tokens of one login without exposing them. */
export interface ClinicianGrant {
  /** The resource API with these tokens, refreshed as needed. */
  readonly api: ResourceAPI;
  /** @returns undefined when they are revoked, or ended by the service. */
  state(): Promise<TokenState | undefined>;
  /**
   * Refreshes the access token, even before it expires. Throws {@link SignInRequiredError} when the service refuses; with the
   * code `refresh_token_missing` where the service sent no refresh token: the login continues until its access token expires.
   */
  refresh(): Promise<void>;
  /** Revokes the tokens at the service and erases them here, which ends the login. Safe to repeat. */
  revoke(): Promise<void>;
}

/** @param version increases with each change of the tokens */
type ScopeListener = (grantID: string, scope: readonly string[], version: number) => void;

/** Stores, uses, refreshes and revokes the tokens of every login. @internal */
export interface TokenManager extends Omit<TokenErasure, 'limitLogins'> {
  vault: TokenVault;
  /** The profiles that users agreed to have stored. */
  profiles: ProfileStore;
  cacheProfile: GrantAPIs['cacheProfile'];
  grant(grantID: string): ClinicianGrant;
  /**
   * Returns true for a login whose tokens are stored. Where they are not, the login has ended, and the event `login_ended` reports
   * the reason. Throws where the store is unavailable, or the tokens were sealed with a secret that this process does not have.
   */
  isStored(grantID: string, userID: string): Promise<boolean>;
  /**
   * Returns true for a login that another process has stored in its memory, so that this one cannot use it. No I/O.
   * @param createdAt the time of the sign-in, in milliseconds since the Unix epoch
   */
  isOfOtherProcess(grantID: string, createdAt: number): boolean;
  /** Stores the tokens of a login. Ends the oldest logins of a user who has too many. */
  addLogin(userID: string, tokens: TokenSet): Promise<VaultGrant>;
  /**
   * Stores, with the tokens, the id of the session that contains the login, for {@link TokenErasure.forgetUser}. Never throws.
   * @param added the login, as {@link TokenManager.addLogin} has returned it
   * @returns true where it is stored: so the login has not been erased meanwhile
   */
  setSession(added: VaultGrant, req: StoredSession): Promise<boolean>;
  /** Adds a listener for logins that end, for whatever reason. */
  onEnd(listener: (grantID: string) => void): void;
  /** Adds a listener for the scope of stored tokens, called when they are read or refreshed. */
  onScope(listener: ScopeListener): void;
}

export interface TokenManagerOptions {
  issuer: string;
  clientID: string;
  flow: FlowName;
  server: Pick<AuthorizationServer, 'prepareRefresh' | 'refresh' | 'refreshTimeoutMs' | 'revoke'>;
  /** Tracks refreshes, revocations and erasures, for the end of the process. */
  work: PendingWork;
  store: TokenStore;
  secrets: readonly Secret[];
  onUnknownSecret?: () => void;
  events: Events;
  clock: Clock;
  fetch: Fetch;
  apiURL: string | undefined;
  limits: RequestLimits;
  maxLoginsPerUser: number;
  /** The sessions that contain the logins. Absent where the site stores the logins itself. */
  sessionStore?: Pick<SiteSessionStore, 'observe' | 'remove'> | undefined;
}

const MAX_GRANTS = 100_000;

/** The token stores that the process has warned about. */
const reportedStores = new WeakSet<TokenStore>();

/** Reports a store in memory once, in production, where a site often has several processes. */
function reportMemoryStore(store: TokenStore, events: Events): void {
  if (!store.inMemory || process.env.NODE_ENV !== 'production' || reportedStores.has(store)) return;
  reportedStores.add(store);
  events.emit('memory_token_store');
  events.warn({ code: 'memory_token_store', message: WARNING_CODES.memory_token_store });
}

/** Returns the error for a login whose tokens are, or were, in the memory of another process. */
export function tokensInMemory(): ConfigurationError {
  return new ConfigurationError(
    'tokens_in_memory',
    'passport-clinician: a login was created by another process, or before a restart, and its tokens are in the memory of that process. Pass a tokenStore that all processes share, such as RedisTokenStore, and a session store.',
  );
}

/**
 * Returns true for an error that ends the login. With an unknown secret it does not end: other processes can use its tokens, and
 * this one when the secret is listed.
 */
function endsLogin(error: unknown): error is ClinicianError {
  if (!isClinicianError(error) || error.code === 'grant_secret_unknown') return false;
  return error.remedy === 'sign_in' || endsGrant(error);
}

export function createTokenManager(options: TokenManagerOptions): TokenManager {
  const { server, work, secrets, events, clock, fetch, apiURL, limits, sessionStore } = options;
  const instance = instanceID(options);
  const store = wrapStoreErrors(options.store.forInstance?.(instance) ?? options.store, (call) =>
    watchStore('token store', events.outages, call),
  );
  const endListeners: ((grantID: string) => void)[] = [];
  const scopeListeners: ScopeListener[] = [];
  const startedAt = clock.now();
  reportMemoryStore(options.store, events);
  const sealerFor = (purpose: string): Sealer => new Sealer(secrets, purpose, options.onUnknownSecret);
  /** The grants that this process has stored, read or ended. */
  const known = new BoundedMap<string, { userID?: string | undefined; hasEnded?: true }>(MAX_GRANTS);

  async function prepare(tokens: TokenSet, validForMs: number): Promise<void> {
    await reportRefreshFailure(tokens, server.prepareRefresh(validForMs));
  }

  async function refresh(tokens: TokenSet): Promise<TokenSet> {
    const refreshed = await reportRefreshFailure(
      tokens,
      trace('refresh', { flow: options.flow }, () => server.refresh(tokens)),
    );
    events.emit('refreshed', { userID: tokens.subject });
    return refreshed;
  }

  async function reportRefreshFailure<R>({ subject }: TokenSet, result: Promise<R>): Promise<R> {
    try {
      return await result;
    } catch (error) {
      events.emit('refresh_failed', { userID: subject, error });
      throw error;
    }
  }

  const vault = new TokenVault({
    store,
    sealer: sealerFor('tokens'),
    instance,
    clock,
    work,
    prepare,
    refresh,
    refreshTimeoutMs: server.refreshTimeoutMs,
    revoke: (tokens) => server.revoke(tokens.refreshToken ?? tokens.accessToken),
    serialize: serializeTokenSet,
    deserialize: deserializeTokenSet,
    observe({ id: grantID, userKey, tokens, version }) {
      if (!known.has(grantID)) known.set(grantID, { userID: userKey });
      for (const listener of scopeListeners) listener(grantID, tokens.scope, version);
    },
  });
  const profiles = createProfileStore({ store, sealer: sealerFor('profiles'), instance, clock });

  function notifyEnd(grantID: string): void {
    known.set(grantID, { ...known.get(grantID), hasEnded: true });
    apis.remove(grantID);
    for (const listener of endListeners) listener(grantID);
  }

  /** Returns the reason why the tokens of a login cannot be used any more. */
  function reasonOf(grantID: string, error: ClinicianError): ClinicianError {
    if (error.code !== 'grant_ended') return error;
    if (isClinicianError(error.cause)) return error.cause;
    return options.store.inMemory && !known.has(grantID) ? tokensInMemory() : error;
  }

  /** Ends a login whose tokens cannot be used any more, and reports the reason once. */
  function endLogin(grantID: string, error: ClinicianError, userID = known.get(grantID)?.userID): void {
    if (!known.get(grantID)?.hasEnded) events.emit('login_ended', { userID, error: reasonOf(grantID, error) });
    notifyEnd(grantID);
  }

  async function accessToken(grantID: string, refused?: string): Promise<string> {
    try {
      return await vault.accessToken(grantID, { refusedToken: refused });
    } catch (error) {
      if (endsLogin(error)) endLogin(grantID, error);
      throw error;
    }
  }

  async function isStored(grantID: string, userID: string): Promise<boolean> {
    try {
      await vault.require(grantID);
      return true;
    } catch (error) {
      if (!endsLogin(error)) throw error;
      endLogin(grantID, error, userID);
      return false;
    }
  }

  const apis = createGrantAPIs({ apiURL, fetch, clock, limits, accessToken, vault });

  const erasure = trackMethods(work, createTokenErasure({ ...options, vault, profiles, sessionStore, notifyEnd }));

  async function state(grantID: string): Promise<TokenState | undefined> {
    const tokens = (await vault.find(grantID))?.tokens;
    if (!tokens) return undefined;
    return { expiresAt: tokens.expiresAt, scope: tokens.scope, refreshable: tokens.refreshToken !== undefined };
  }

  async function refreshNow(grantID: string): Promise<void> {
    const tokens = (await vault.find(grantID))?.tokens;
    // The access token is still valid, so the login continues.
    if (tokens && !tokens.refreshToken && clock.now() < tokens.expiresAt) throw refreshTokenMissing();
    await accessToken(grantID, tokens?.accessToken.reveal());
  }

  async function addLogin(userID: string, tokens: TokenSet): Promise<VaultGrant> {
    const grant = await vault.add(userID, tokens);
    known.set(grant.id, { userID });
    await erasure.limitLogins(userID);
    return grant;
  }

  return {
    vault,
    profiles,
    cacheProfile: apis.cacheProfile,
    grant: (grantID) => ({
      get api() {
        return apis.api(grantID);
      },
      state: () => state(grantID),
      refresh: () => refreshNow(grantID),
      revoke: async () => void (await erasure.revokeAndDelete(grantID)),
    }),
    ...erasure,
    isStored,
    isOfOtherProcess: (grantID, createdAt) =>
      options.store.inMemory === true && !known.has(grantID) && createdAt >= startedAt,
    addLogin: (userID, tokens) => work.track(addLogin(userID, tokens)),
    async setSession(added, req) {
      if (!sessionStore || req.sessionID === undefined) return false;
      // Passport may have signed the user in before this package's middleware has received a request.
      sessionStore.observe(req);
      try {
        await vault.setSession(added, req.sessionID);
        return true;
      } catch {
        reportFailure(events, 'request_failed', added.userKey, 'session_id_not_saved');
        return false;
      }
    },
    onEnd: (listener) => void endListeners.push(listener),
    onScope: (listener) => void scopeListeners.push(listener),
  };
}
