import type { Clock } from '../async/clock.js';
import type { PendingWork } from '../async/work.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { isClinicianError, refreshTokenMissing } from '../errors/errors.js';
import { type GrantRecords, isFresh, isUsable, type NewGrant, type VaultGrant } from './grant-records.js';
import { type GrantRefresher, type Pause, refreshBusy, timerPause } from './grant-refresher.js';

interface TokenVaultOptions {
  clock: Clock;
  records: GrantRecords;
  refresher: GrantRefresher;
  /** Tracks what is written, so that a process that stops can wait for it. */
  work: PendingWork;
  /** @default a timer */
  pause?: Pause | undefined;
}

/** The longest wait for a refresh while the current token is valid. */
const MAX_WAIT_WHILE_VALID_MS = 1_000;
/** No grant has this id: grant ids are random and longer. */
const HEALTH_CHECK_ID = 'health-check';
const HEALTH_CHECK_LOCK_MS = 1_000;

/** Stores the tokens of every login, sealed, under a grant id, and provides fresh access tokens. */
export class TokenVault {
  readonly #clock: Clock;
  readonly #records: GrantRecords;
  readonly #refresher: GrantRefresher;
  readonly #work: PendingWork;
  readonly #pause: Pause;

  constructor({ clock, records, refresher, work, pause = timerPause }: TokenVaultOptions) {
    this.#clock = clock;
    this.#records = records;
    this.#refresher = refresher;
    this.#work = work;
    this.#pause = pause;
  }

  /** See {@link GrantRefresher.onEnd}. */
  onEnd(listener: Parameters<GrantRefresher['onEnd']>[0]): void {
    this.#refresher.onEnd(listener);
  }

  /** See {@link GrantRecords.add}. */
  add(login: NewGrant, tokens: TokenSet): Promise<VaultGrant> {
    return this.#work.track(this.#records.add(login, tokens));
  }

  /** @returns the grant as it is stored, never refreshed; undefined also for a record that cannot be read. */
  find(grantID: string): Promise<VaultGrant | undefined> {
    return this.#records.find(grantID);
  }

  /** @returns the grant as it is stored. Throws the errors of {@link fresh} if its tokens cannot be used. */
  require(grantID: string): Promise<VaultGrant> {
    return this.#records.require(grantID);
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
    const refreshing = this.#refresher.refreshed(grant, refusedToken);
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
    const refreshing = this.#refresher.refreshed(grant, accessToken.reveal());
    if (!isValid) return await refreshing;
    return await this.#within(refreshing, () => {
      if (this.#refresher.isRefreshing(grantID)) return refreshing;
      throw refreshBusy();
    });
  }

  /**
   * Erases the grant. Safe to repeat. @returns what was stored, so that the caller can revoke the tokens at the service.
   * @throws SignInRequiredError `grant_unreadable` or `grant_secret_unknown` for a record that is not erased: it may belong to
   * another site on this store
   */
  forget(grantID: string): Promise<VaultGrant | undefined> {
    return this.#work.track(this.#refresher.erase(grantID));
  }

  /** Writes to the token store. Rejects when the store is unavailable or refuses. */
  async checkStore(): Promise<void> {
    // Another process may hold the lock at the same time: that is a response, too.
    const lock = await this.#records.store.lock(HEALTH_CHECK_ID, HEALTH_CHECK_LOCK_MS);
    await lock?.release();
  }

  /** @returns the ids of all records of one user, sorted by their expiry. */
  grantsOf(userID: string): Promise<string[]> {
    return this.#records.store.grantsOf(userID);
  }

  /** @param otherwise returns the result if the refresh takes longer than a second */
  async #within(refreshing: Promise<VaultGrant>, otherwise: () => VaultGrant | Promise<VaultGrant>) {
    const ended = new AbortController();
    const waited = this.#pause(MAX_WAIT_WHILE_VALID_MS, { signal: ended.signal });
    try {
      return await Promise.race([refreshing, waited.then(otherwise)]);
    } finally {
      ended.abort();
    }
  }
}
