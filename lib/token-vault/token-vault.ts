import type { Clock } from '../async/clock.js';
import { sleep, withTimeout } from '../async/timers.js';
import { BoundedMap, type PendingWork, RetryGate, SingleFlight } from '../async/work.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import {
  type ClinicianError,
  grantEnded,
  isClinicianError,
  refreshTokenMissing,
  ServiceUnavailableError,
} from '../errors/errors.js';
import type { Events } from '../events/events.js';
import { type GrantRecords, isFresh, isUsable, type VaultGrant } from './grant-records.js';
import type { TokenStoreLock } from './token-store.js';

/** Waits; rejects when the signal is aborted. */
export type Pause = (ms: number, value?: undefined, options?: { signal?: AbortSignal }) => Promise<void>;

/** Receives a grant that a refresh has ended, with the reason: no call may wait for the refresh any more. */
type EndListener = (grant: VaultGrant, error: ClinicianError) => void;

interface TokenVaultOptions {
  clock: Clock;
  records: GrantRecords;
  server: Pick<AuthorizationServer, 'prepareRefresh' | 'refresh' | 'refreshTimeoutMs'>;
  /** Revokes tokens of a grant that are not saved, or not erased. */
  revocations: { revoke(tokens: TokenSet, login: { userID: string; grantID: string }): Promise<void> };
  events: Pick<Events, 'emit'>;
  /** Tracks the refreshes in progress, so that a process that stops can wait for them. */
  work: PendingWork;
  pause?: Pause | undefined;
}

/** The time to lock and read a grant. After it a refresh is too late: the lock could expire before the tokens are saved. */
const MAX_LOCKING_MS = 4_000;
const MAX_SAVING_MS = 2_000;
/** The longest wait for another process: shorter than the 60 seconds that a proxy waits for a response. */
const MAX_WAIT_MS = 45_000;
/** The longest wait for a refresh while the current token is valid. */
const MAX_WAIT_WHILE_VALID_MS = 1_000;
/** An erasure waits this long for a concurrent refresh. The tokens of a slower one are revoked when they arrive. */
const ERASURE_LOCK_TIMEOUT_MS = 2_000;
const FIRST_PAUSE_MS = 25;
const MAX_PAUSE_MS = 250;
/** An immediate retry after the first failure, then one after 1 s, 2 s, 4 s and so on. */
const RETRIES = { maxFailures: 2, minMs: 1_000, maxMs: 30_000 };
const MAX_ENTRIES = 10_000;

/** @returns true for an error after which the refresh token is used up, or refused. */
function endsGrant(error: unknown): error is ClinicianError {
  return isClinicianError(error) && (error.code === 'invalid_grant' || error.code === 'grant_ended');
}

/** @returns the reason why tokens have ended, if it is known. */
export function endReasonOf<E>(error: E): E | ClinicianError {
  const isEnd = isClinicianError(error) && error.code === 'grant_ended';
  return isEnd && isClinicianError(error.cause) ? error.cause : error;
}

/**
 * Provides fresh access tokens. Refreshes one grant at a time: locks it, reads it again, refreshes it at most once and replaces the
 * record.
 */
export class TokenVault {
  readonly #clock: Clock;
  readonly #records: GrantRecords;
  readonly #server;
  readonly #revocations;
  readonly #events;
  readonly #work: PendingWork;
  readonly #pause: Pause;
  /**
   * The lock expires six seconds after the longest time of a refresh, so that a slow one never loses it, and other processes can
   * refresh after its process has stopped.
   */
  readonly #lockTtlMs: number;
  readonly #maxWaitMs: number;
  readonly #refreshes = new SingleFlight<VaultGrant>();
  readonly #locked = new Set<string>();
  readonly #failures = new BoundedMap<string, { gate: RetryGate; error: unknown }>(MAX_ENTRIES);

  #ended: EndListener = () => undefined;

  constructor({ clock, records, server, revocations, events, work, pause = sleep }: TokenVaultOptions) {
    this.#clock = clock;
    this.#records = records;
    this.#server = server;
    this.#revocations = revocations;
    this.#events = events;
    this.#work = work;
    this.#pause = pause;
    this.#lockTtlMs = MAX_LOCKING_MS + server.refreshTimeoutMs + MAX_SAVING_MS;
    this.#maxWaitMs = Math.min(this.#lockTtlMs + MAX_PAUSE_MS, MAX_WAIT_MS);
  }

  onEnd(listener: EndListener): void {
    this.#ended = listener;
  }

  /**
   * Waits for a refresh of this or another process. While the stored token is valid, it waits for at most a second, and returns
   * this token if the refresh takes longer or fails temporarily. Otherwise it waits until the refresh ends or its lock expires.
   * @param refusedToken the access token that the resource API has refused, which is not valid
   * @returns the grant, whose access token is refreshed when it is about to expire or is the refused one
   * @throws SignInRequiredError `grant_ended`, `grant_unreadable` or `grant_secret_unknown`
   */
  async fresh(grantID: string, refusedToken?: string): Promise<VaultGrant> {
    const clock = this.#clock;
    const grant = await this.#records.require(grantID);
    if (isFresh(grant, refusedToken, clock)) return grant;
    const refreshing = this.#refreshed(grant, refusedToken);
    if (!isUsable(grant, refusedToken, clock)) return await refreshing;
    const isValid = () => isUsable(grant, undefined, clock);
    try {
      return await this.#within(refreshing, () => (isValid() ? grant : refreshing));
    } catch (error) {
      if (isClinicianError(error) && error.retryable && isValid()) return grant;
      throw error;
    }
  }

  /**
   * Refreshes the access token even if it is fresh, or joins its refresh in this process. If another process refreshes it, or
   * has stopped while it did, waits for at most a second if the stored token is valid, else as {@link fresh} does.
   * @throws ServiceUnavailableError `refresh_busy` after that time, SignInRequiredError `refresh_token_missing` if there is none
   */
  async refresh(grantID: string): Promise<VaultGrant> {
    const grant = await this.#records.require(grantID);
    const { accessToken, refreshToken } = grant.tokens;
    const isValid = isUsable(grant, undefined, this.#clock);
    if (isValid && !refreshToken) throw refreshTokenMissing();
    const refreshing = this.#refreshed(grant, accessToken.reveal());
    if (!isValid) return await refreshing;
    return await this.#within(refreshing, () => {
      if (this.#locked.has(grantID)) return refreshing;
      throw refreshBusy();
    });
  }

  /**
   * Erases the grant, after a concurrent refresh. Safe to repeat. If the store fails to delete it, the tokens are revoked.
   * @returns what was stored, so that the caller can revoke the tokens at the service
   * @throws SignInRequiredError `grant_unreadable` or `grant_secret_unknown` for a record that is not erased: it may belong to
   * another site on this store
   */
  forget(grantID: string): Promise<VaultGrant | undefined> {
    return this.#work.track(this.#erase(grantID));
  }

  /** @param otherwise returns the result if the refresh takes longer than a second */
  async #within(refreshing: Promise<VaultGrant>, otherwise: () => VaultGrant | Promise<VaultGrant>) {
    const ended = new AbortController();
    const waited = this.#pause(MAX_WAIT_WHILE_VALID_MS, undefined, { signal: ended.signal });
    try {
      return await Promise.race([refreshing, waited.then(otherwise)]);
    } finally {
      ended.abort();
    }
  }

  /**
   * Waits for another process until its lock has expired. A refresh of this process is joined.
   * @param known the grant, which is not fresh
   * @returns the grant with an access token that is fresh and is not the refused one
   */
  async #refreshed(known: VaultGrant, refusedToken: string | undefined): Promise<VaultGrant> {
    for (;;) {
      let isJoined = true;
      const grant = await this.#refreshes.run(known.id, () => {
        isJoined = false;
        return this.#refreshOnce(known, refusedToken);
      });
      // A refresh that was joined has started for another reason, and may return the token that is refused here.
      if (!isJoined || grant.tokens.accessToken.reveal() !== refusedToken) return grant;
    }
  }

  async #erase(grantID: string): Promise<VaultGrant | undefined> {
    const { store } = this.#records;
    const locked = this.#waitFor(ERASURE_LOCK_TIMEOUT_MS, () => store.lock(grantID, this.#lockTtlMs));
    // A store that is read-only still returns the tokens to revoke.
    const lock = await locked.catch(() => undefined);
    try {
      const grant = await this.#records.read(grantID);
      try {
        await store.delete(grantID);
      } catch (error) {
        if (grant) await this.#revocations.revoke(grant.tokens, { userID: grant.userKey, grantID });
        throw error;
      }
      return grant;
    } finally {
      await release(lock);
    }
  }

  /** Repeats a call while it returns undefined, for `maxWaitMs` at most. */
  async #waitFor<T>(maxWaitMs: number, call: () => Promise<T | undefined>): Promise<T | undefined> {
    const latest = this.#clock.now() + maxWaitMs;
    let waitedMs = 0;
    for (let ms = FIRST_PAUSE_MS; ; ms = Math.min(ms * 2, MAX_PAUSE_MS)) {
      const result = await call();
      // The commands of a slow store take time too.
      if (result !== undefined || waitedMs >= maxWaitMs || this.#clock.now() > latest) return result;
      await this.#pause(Math.min(ms, maxWaitMs - waitedMs));
      waitedMs += ms;
    }
  }

  async #refreshOnce(known: VaultGrant, refusedToken: string | undefined): Promise<VaultGrant> {
    const obstacle = await this.#prepare(known);
    const attempt = () => this.#refreshIfFree(known.id, refusedToken, obstacle);
    const grant = await this.#waitFor(this.#maxWaitMs, () => this.#work.start(attempt));
    if (grant !== undefined) return grant;
    throw refreshBusy();
  }

  /** @returns why no refresh can be requested: its preparation or a recent refresh failed. */
  async #prepare(grant: VaultGrant): Promise<unknown> {
    const failure = this.#failures.get(grant.id);
    if (failure?.gate.retryAt !== undefined) return failure.error;
    if (grant.tokens.refreshToken === undefined) return undefined;
    try {
      await this.#server.prepareRefresh(this.#maxWaitMs + this.#lockTtlMs);
    } catch (error) {
      this.#reportFailure(grant, error);
      return error;
    }
    return undefined;
  }

  /** Reports a failure. It delays the next attempt, unless it ends the grant. */
  #reportFailure({ id, userKey }: VaultGrant, error: unknown): void {
    this.#events.emit('refresh_failed', { userID: userKey, error: endReasonOf(error) });
    if (endsGrant(error)) return;
    const gate = this.#failures.get(id)?.gate ?? new RetryGate(this.#clock, RETRIES);
    gate.failed();
    this.#failures.set(id, { gate, error });
  }

  /**
   * @param obstacle the error of the preparation, or of a recent refresh
   * @returns undefined while another process holds the lock, and has not refreshed the grant
   */
  async #refreshIfFree(
    grantID: string,
    refusedToken: string | undefined,
    obstacle: unknown,
  ): Promise<VaultGrant | undefined> {
    const clock = this.#clock;
    const latestRequest = clock.now() + MAX_LOCKING_MS;
    const lock = await this.#records.store.lock(grantID, this.#lockTtlMs);
    if (lock) this.#locked.add(grantID);
    try {
      const grant = await this.#records.require(grantID);
      const { refreshToken } = grant.tokens;
      const isSufficient = refreshToken === undefined ? isUsable : isFresh;
      if (isSufficient(grant, refusedToken, clock)) return grant;
      if (lock === undefined) return undefined;
      if (refreshToken === undefined) return await this.#end(grant, grantEnded(refreshTokenMissing()));
      if (obstacle !== undefined) throw obstacle;
      if (clock.now() > latestRequest) {
        throw new ServiceUnavailableError('token_store_unavailable', 'The token store is too slow. Retry later.');
      }
      return await this.#refresh(grant);
    } finally {
      if (lock) this.#locked.delete(grantID);
      await release(lock);
    }
  }

  async #refresh(grant: VaultGrant): Promise<VaultGrant> {
    let tokens: TokenSet;
    try {
      tokens = await this.#server.refresh(grant.tokens);
      this.#failures.delete(grant.id);
    } catch (error) {
      this.#reportFailure(grant, error);
      if (endsGrant(error)) return await this.#end(grant, error);
      throw error;
    }
    return await this.#save(grant, tokens);
  }

  /** Ends the grant, unless another process has refreshed it although its lock had expired. */
  async #end(grant: VaultGrant, error: ClinicianError): Promise<VaultGrant> {
    const current = await this.#records.find(grant.id).catch(() => undefined);
    if (current && current.version !== grant.version) return current;
    throw await this.#endFor(grant, error);
  }

  /** Erases a grant, so that no process uses its refresh token again. @returns the error for the caller */
  async #endFor(grant: VaultGrant, reason: unknown): Promise<ClinicianError> {
    const error = isClinicianError(reason) && reason.code === 'grant_ended' ? reason : grantEnded(reason);
    this.#failures.delete(grant.id);
    this.#ended(grant, error);
    await this.#records.end(grant.id);
    return error;
  }

  /**
   * Saves new tokens, or revokes them: the service has revoked those that they replace already, so the user signs in again.
   * @returns what is stored then: other tokens, if these have replaced those of the grant
   * @throws SignInRequiredError `grant_ended` when the store fails
   */
  async #save(replaced: VaultGrant, tokens: TokenSet): Promise<VaultGrant> {
    const records = this.#records;
    const login = { userID: replaced.userKey, grantID: replaced.id };
    try {
      const saved = (await records.replace(replaced, tokens)) ?? (await records.find(replaced.id));
      // A store that repeats a write whose reply was lost finds it done.
      if (saved?.tokens.accessToken.reveal() === tokens.accessToken.reveal()) return saved;
    } catch (error) {
      const ended = await this.#endFor(replaced, error);
      await this.#revocations.revoke(tokens, login);
      throw ended;
    }
    await this.#revocations.revoke(tokens, login);
    return await records.require(replaced.id);
  }
}

function refreshBusy(): ServiceUnavailableError {
  return new ServiceUnavailableError('refresh_busy', 'Another process is refreshing these tokens. Retry later.');
}

/** A lock that is not released expires. */
async function release(lock: TokenStoreLock | undefined): Promise<void> {
  try {
    if (lock) await withTimeout(MAX_SAVING_MS, Promise.resolve(lock.release()));
  } catch {
    // Nothing else depends on it.
  }
}
