import { setImmediate as nextTurn } from 'node:timers/promises';
import { BoundedMap } from '../async/bounded-map.js';
import type { Clock } from '../async/clock.js';
import type { PendingWork } from '../async/pending-work.js';
import { withTimeout } from '../async/with-timeout.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { FlowName } from '../authorization-server/flows.js';
import {
  deserializeTokenSet,
  isSameServiceSession,
  serializeTokenSet,
  type TokenSet,
} from '../authorization-server/token-set.js';
import { WARNING_CODES, type WarningCode } from '../errors/error-codes.js';
import {
  type ClinicianError,
  ConfigurationError,
  isClinicianError,
  refreshTokenMissing,
  ServiceUnavailableError,
} from '../errors/errors.js';
import { codeOf } from '../events/event-table.js';
import type { Events } from '../events/events.js';
import { watchStore } from '../events/outages.js';
import { trace } from '../events/tracing.js';
import type { Fetch } from '../http/http.js';
import type { CachedResponse } from '../resource-api/conditional-cache.js';
import type { RequestLimits, ResourceAPI } from '../resource-api/resource-api.js';
import { Sealer } from '../sealing/sealer.js';
import type { Secret } from '../sealing/secret.js';
import type { VaultGrant } from '../token-vault/grant-records.js';
import { endsGrant } from '../token-vault/grant-refresher.js';
import { createProfileStore, isProfileRecord, type ProfileStore } from '../token-vault/profile-store.js';
import { instanceID, type TokenStore, wrapStoreErrors } from '../token-vault/token-store.js';
import { TokenVault } from '../token-vault/token-vault.js';
import { GrantAPIs } from './grant-apis.js';
import type { SiteSessionStore, StoredSession } from './session-store.js';

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

export interface TokensOptions {
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
const REVOCATION_TIMEOUT_MS = 2000;
/** The number of logins of a user that are erased and revoked at the same time. */
const MAX_CONCURRENT = 10;

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

/** Stores, uses, refreshes, revokes and erases the tokens of every login. @internal */
export class Tokens {
  readonly vault: TokenVault;
  /** The profiles that users agreed to have stored. */
  readonly profiles: ProfileStore;
  readonly #options: TokensOptions;
  readonly #apis: GrantAPIs;
  readonly #startedAt: number;
  readonly #endListeners: ((grantID: string) => void)[] = [];
  readonly #scopeListeners: ScopeListener[] = [];
  /** The grants that this process has stored, read or ended. */
  readonly #known = new BoundedMap<string, { userID?: string | undefined; hasEnded?: true }>(MAX_GRANTS);

  constructor(options: TokensOptions) {
    const { server, secrets, events, clock } = options;
    this.#options = options;
    this.#startedAt = clock.now();
    reportMemoryStore(options.store, events);
    const instance = instanceID(options);
    const store = wrapStoreErrors(options.store.forInstance?.(instance) ?? options.store, (call) =>
      watchStore('token store', events.outages, call),
    );
    const sealerFor = (purpose: string) => new Sealer(secrets, purpose, options.onUnknownSecret);
    this.profiles = createProfileStore({ store, sealer: sealerFor('profiles'), instance, clock });
    this.vault = new TokenVault({
      ...{ store, sealer: sealerFor('tokens'), instance, clock, work: options.work },
      serialize: serializeTokenSet,
      deserialize: deserializeTokenSet,
      prepare: (tokens, validForMs) => this.#reportFailure(tokens, server.prepareRefresh(validForMs)),
      refresh: (tokens) => this.#requestRefresh(tokens),
      refreshTimeoutMs: server.refreshTimeoutMs,
      revoke: (tokens) => server.revoke(tokens.refreshToken ?? tokens.accessToken),
      observe: (grant) => this.#observe(grant),
    });
    const accessToken = (grantID: string, refused?: string) => this.#accessToken(grantID, refused);
    this.#apis = new GrantAPIs({ ...options, vault: this.vault, accessToken });
  }

  /** Adds a listener for logins that end, for whatever reason. */
  onEnd(listener: (grantID: string) => void): void {
    this.#endListeners.push(listener);
  }

  /** Adds a listener for the scope of stored tokens, called when they are read or refreshed. */
  onScope(listener: ScopeListener): void {
    this.#scopeListeners.push(listener);
  }

  /** Stores the tokens of a login. */
  async add(userID: string, tokens: TokenSet): Promise<VaultGrant> {
    const grant = await this.#options.work.track(this.vault.add(userID, tokens));
    this.#known.set(grant.id, { userID });
    return grant;
  }

  /**
   * Stores, with the tokens, the id of the session that contains the login, for {@link forget}. Never throws.
   * @param added the login, as {@link add} has returned it
   * @returns true where it is stored: so the login has not been erased meanwhile
   */
  async setSession(added: VaultGrant, req: StoredSession): Promise<boolean> {
    const { sessionStore, events } = this.#options;
    if (!sessionStore || req.sessionID === undefined) return false;
    // Passport may have signed the user in before this package's middleware has received a request.
    sessionStore.observe(req);
    try {
      await this.vault.setSession(added, req.sessionID);
      return true;
    } catch {
      reportFailure(events, 'request_failed', added.userKey, 'session_id_not_saved');
      return false;
    }
  }

  /** @returns the oldest logins of a user who has too many, at most ten of them. Never throws. */
  async excessLogins(userID: string): Promise<string[]> {
    try {
      return (await this.#excessLogins(userID)).slice(0, MAX_CONCURRENT);
    } catch {
      reportFailure(this.#options.events, 'erasure_failed', userID, 'erasure_failed');
      return [];
    }
  }

  /** Ends those of these logins that are still too many, with their sessions. Never throws. */
  endLogins(userID: string, grantIDs: readonly string[]): Promise<void> {
    return this.#options.work.track(this.#endLogins(userID, grantIDs));
  }

  grant(grantID: string): ClinicianGrant {
    const apis = this.#apis;
    return {
      get api() {
        return apis.of(grantID);
      },
      state: () => this.#state(grantID),
      refresh: () => this.#refresh(grantID),
      revoke: async () => void (await this.revokeAndDelete(grantID)),
    };
  }

  /** Caches a profile that was read at the sign-in, so that the next request for it sends If-None-Match. */
  cacheProfile(grantID: string, response: CachedResponse): void {
    this.#apis.cacheProfile(grantID, response);
  }

  /**
   * Returns true for a login whose tokens are stored. Where they are not, the login has ended, and the event `login_ended` reports
   * the reason. Throws where the store is unavailable, or the tokens were sealed with a secret that this process does not have.
   */
  async isStored(grantID: string, userID: string): Promise<boolean> {
    try {
      await this.vault.require(grantID);
      return true;
    } catch (error) {
      if (!endsLogin(error)) throw error;
      this.#endLogin(grantID, error, userID);
      return false;
    }
  }

  /**
   * Returns true for a login that another process has stored in its memory, so that this one cannot use it. No I/O.
   * @param createdAt the time of the sign-in, in milliseconds since the Unix epoch
   */
  isOfOtherProcess(grantID: string, createdAt: number): boolean {
    return this.#options.store.inMemory === true && !this.#known.has(grantID) && createdAt >= this.#startedAt;
  }

  /**
   * Revokes at the service, in bounded time. Never throws.
   * @param continuing the tokens of a login that continues: other tokens of its session at the service are not revoked, because
   * some services would end the session
   */
  revoke(tokens: TokenSet, userID: string | undefined = tokens.subject, continuing?: TokenSet): Promise<void> {
    if (isSameServiceSession(tokens, continuing)) return Promise.resolve();
    return this.#options.work.track(this.#revoke(tokens, userID));
  }

  /** Erases without a revocation. @returns the erased tokens. */
  erase(grantID: string, userID?: string): Promise<TokenSet | undefined> {
    // Before the erasure too: it may wait for a refresh, and a request of this login must not succeed meanwhile.
    this.#notifyEnd(grantID);
    return this.#eraseRecord(grantID, userID);
  }

  /** Erases and revokes. @param continuing see {@link revoke} @returns the erased tokens. */
  async revokeAndDelete(grantID: string, userID?: string, continuing?: TokenSet): Promise<TokenSet | undefined> {
    const tokens = await this.erase(grantID, userID);
    if (tokens) await this.revoke(tokens, userID, continuing);
    return tokens;
  }

  /** Erases and revokes everything of one user, and deletes the sessions that contain the logins. */
  forget(userID: string): Promise<void> {
    return this.#options.work.track(this.#forget(userID));
  }

  #observe({ id, userKey, tokens, version }: VaultGrant): void {
    if (!this.#known.has(id)) this.#known.set(id, { userID: userKey });
    for (const listener of this.#scopeListeners) listener(id, tokens.scope, version);
  }

  async #requestRefresh(tokens: TokenSet): Promise<TokenSet> {
    const { server, events, flow } = this.#options;
    const refreshed = await this.#reportFailure(
      tokens,
      trace('refresh', { flow }, () => server.refresh(tokens)),
    );
    events.emit('refreshed', { userID: tokens.subject });
    return refreshed;
  }

  async #reportFailure<R>({ subject }: TokenSet, result: Promise<R>): Promise<R> {
    try {
      return await result;
    } catch (error) {
      this.#options.events.emit('refresh_failed', { userID: subject, error });
      throw error;
    }
  }

  async #accessToken(grantID: string, refusedToken?: string): Promise<string> {
    try {
      return await this.vault.accessToken(grantID, { refusedToken });
    } catch (error) {
      if (endsLogin(error)) this.#endLogin(grantID, error);
      throw error;
    }
  }

  async #state(grantID: string): Promise<TokenState | undefined> {
    const tokens = (await this.vault.find(grantID))?.tokens;
    if (!tokens) return undefined;
    return { expiresAt: tokens.expiresAt, scope: tokens.scope, refreshable: tokens.refreshToken !== undefined };
  }

  async #refresh(grantID: string): Promise<void> {
    const tokens = (await this.vault.find(grantID))?.tokens;
    // The access token is still valid, so the login continues.
    if (tokens && !tokens.refreshToken && this.#options.clock.now() < tokens.expiresAt) throw refreshTokenMissing();
    await this.#accessToken(grantID, tokens?.accessToken.reveal());
  }

  #notifyEnd(grantID: string): void {
    this.#known.set(grantID, { ...this.#known.get(grantID), hasEnded: true });
    this.#apis.remove(grantID);
    for (const listener of this.#endListeners) listener(grantID);
  }

  /** Ends a login whose tokens cannot be used any more, and reports the reason once. */
  #endLogin(grantID: string, error: ClinicianError, userID = this.#known.get(grantID)?.userID): void {
    const reason = this.#reasonOf(grantID, error);
    if (!this.#known.get(grantID)?.hasEnded) this.#options.events.emit('login_ended', { userID, error: reason });
    this.#notifyEnd(grantID);
  }

  /** Returns the reason why the tokens of a login cannot be used any more. */
  #reasonOf(grantID: string, error: ClinicianError): ClinicianError {
    if (error.code !== 'grant_ended') return error;
    if (isClinicianError(error.cause)) return error.cause;
    return this.#options.store.inMemory && !this.#known.has(grantID) ? tokensInMemory() : error;
  }

  async #revoke(tokens: TokenSet, userID: string | undefined): Promise<void> {
    const { server, events } = this.#options;
    try {
      await withTimeout(REVOCATION_TIMEOUT_MS, server.revoke(tokens.refreshToken ?? tokens.accessToken));
      events.emit('revoked', { userID });
    } catch (error) {
      // Not a failure: the service revokes no token.
      if (codeOf(error) === 'revocation_unsupported') return events.emit('revocation_unsupported', { userID });
      const cause = isClinicianError(error) ? error : revocationTimeout();
      reportFailure(events, 'revocation_failed', userID, 'revocation_failed', cause);
    }
  }

  async #eraseRecord(grantID: string, userID?: string): Promise<TokenSet | undefined> {
    const tokens = await this.vault.forget(grantID).catch((error: unknown) => {
      const code = codeOf(error);
      if (code !== 'grant_unreadable' && code !== 'grant_secret_unknown') throw error;
      reportFailure(this.#options.events, 'revocation_failed', userID, 'revocation_failed', error);
      return undefined;
    });
    this.#notifyEnd(grantID);
    return tokens;
  }

  async #forget(userID: string): Promise<void> {
    const grantIDs = await this.#loginsOf(userID);
    await this.profiles.withdraw(userID);
    const erased = await inTurns(grantIDs, (grantID) => this.#forgetLogin(grantID, userID));
    const logins = erased.filter((tokens) => tokens !== undefined).length;
    this.#options.events.emit('forgotten', { userID, logins });
  }

  /**
   * Erases one login, and then its session: a session that is written after that has no tokens. A session store that fails keeps no
   * tokens: the login ends with them.
   */
  async #forgetLogin(grantID: string, userID: string): Promise<TokenSet | undefined> {
    const { sessionStore, events } = this.#options;
    const sessionID = (await this.vault.find(grantID))?.sessionID;
    const tokens = await this.#eraseRecord(grantID, userID);
    await Promise.all([
      // Each login is revoked as soon as it is erased, so that a failure of the store leaves no erased tokens unrevoked.
      tokens && this.#revoke(tokens, userID),
      sessionID !== undefined &&
        sessionStore
          ?.remove(sessionID, grantID)
          .catch(() => reportFailure(events, 'erasure_failed', userID, 'session_erasure_failed')),
    ]);
    return tokens;
  }

  async #endLogins(userID: string, grantIDs: readonly string[]): Promise<void> {
    if (grantIDs.length === 0) return;
    try {
      // Another sign-in of the user may have ended some of them meanwhile, and written the others again.
      const excess = new Set(await this.#excessLogins(userID));
      const remaining = grantIDs.filter((grantID) => excess.has(grantID));
      await inTurns(remaining, (grantID) => this.#forgetLogin(grantID, userID));
    } catch {
      reportFailure(this.#options.events, 'erasure_failed', userID, 'erasure_failed');
    }
  }

  /** @returns the oldest logins above the limit. Records that cannot be read do not count: they may be of another site. */
  async #excessLogins(userID: string): Promise<string[]> {
    const { maxLoginsPerUser } = this.#options;
    const grantIDs = await this.#loginsOf(userID);
    if (grantIDs.length <= maxLoginsPerUser) return [];
    const grants = await inTurns(grantIDs, (grantID) => this.vault.find(grantID));
    const readable = grants.flatMap((grant) => grant?.id ?? []);
    return readable.slice(0, Math.max(0, readable.length - maxLoginsPerUser));
  }

  async #loginsOf(userID: string): Promise<string[]> {
    return (await this.vault.grantsOf(userID)).filter((id) => !isProfileRecord(id));
  }
}

function revocationTimeout(): ServiceUnavailableError {
  const message = `The service did not revoke the tokens within ${REVOCATION_TIMEOUT_MS / 1000} seconds.`;
  return new ServiceUnavailableError('service_timeout', message);
}

/** Emits the event of a failure and warns the operator. @param error the cause, where the event has its code */
export function reportFailure(
  events: Events,
  name: 'request_failed' | 'erasure_failed' | 'revocation_failed',
  userID: string | undefined,
  code: WarningCode,
  error?: unknown,
): void {
  events.emit(name, error === undefined ? { userID, code } : { userID, error });
  events.warn({ code, message: WARNING_CODES[code] });
}

/**
 * Runs a call for each item, ten at a time, each ten in a turn of the event loop: a user with many logins does not block other
 * requests. Rejects after the ten that contain a failure have settled.
 */
async function inTurns<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += MAX_CONCURRENT) {
    const settled = await Promise.allSettled(items.slice(start, start + MAX_CONCURRENT).map(call));
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      results.push(result.value);
    }
    await nextTurn();
  }
  return results;
}
