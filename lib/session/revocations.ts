import type { Clock } from '../async/clock.js';
import { inTurns, MAX_CONCURRENT } from '../async/in-turns.js';
import type { PendingWork } from '../async/pending-work.js';
import { withTimeout } from '../async/with-timeout.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { isClinicianError, ServiceUnavailableError } from '../errors/errors.js';
import { codeOf } from '../events/event-table.js';
import type { Events } from '../events/events.js';
import type { Secret } from '../sealing/secret.js';
import { randomText } from '../sealing/secret.js';
import {
  type RevocationRecords,
  revocationID,
  type StoredRevocation,
  type WaitingToken,
} from '../token-vault/revocation-records.js';

interface RevocationsOptions {
  server: Pick<AuthorizationServer, 'revoke' | 'revokeRefusedWith'>;
  records: RevocationRecords;
  /** True if the records are lost with the process. */
  inMemory: boolean;
  events: Events;
  clock: Clock;
  work: PendingWork;
}

/** The longest wait for the service, and of a caller. */
const TIMEOUT_MS = 2_000;
/** The pause after the first failure. It doubles after each further one. */
const FIRST_PAUSE_MS = 10_000;
const MAX_PAUSE_MS = 5 * 60_000;
/** How often a process looks for records of processes that have stopped. */
const SEARCH_INTERVAL_MS = 10 * 60_000;
/** As long as unused tokens are stored: a token response does not have the lifetime of its refresh token. */
const REFRESH_TOKEN_LIFETIME_MS = 30 * 24 * 60 * 60 * 1000;
/** The maximum number of tokens that wait. */
const MAX_WAITING = 10_000;
/** The token of a response that was refused can have any length. */
const MAX_TOKEN_LENGTH = 8_192;

/**
 * Revokes the tokens of logins that have ended at the service (RFC 7009). A revocation that fails is a record of the token store,
 * and is repeated by any process until the service confirms it or the token expires: see docs/project/decisions/0041. @internal
 */
export class Revocations {
  readonly #options: RevocationsOptions;
  /** When each record that this process knows is due. */
  readonly #dueTimes = new Map<string, number>();
  #nextRoundAt = Number.NEGATIVE_INFINITY;
  #isRunning = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: RevocationsOptions) {
    const { server, work, inMemory } = options;
    this.#options = options;
    server.revokeRefusedWith((token) => this.#inBoundedTime(this.#revokeOrSave(token, this.#latestExpiry())));
    work.closing.addEventListener('abort', () => {
      clearTimeout(this.#timer);
      if (inMemory) void work.track(this.#repeatAll(() => true));
    });
  }

  /** The number of tokens that wait for their revocation, as far as this process knows. */
  get waiting(): number {
    return this.#dueTimes.size;
  }

  /** Revokes at the service, in bounded time. Never throws. */
  revoke(tokens: TokenSet, userID: string | undefined = tokens.subject): Promise<void> {
    const { token, expiresAt } = this.#revocable(tokens);
    return this.#inBoundedTime(this.#revokeOrSave(token, expiresAt, userID));
  }

  /**
   * Repeats in the background what is due, also of a process that has stopped. No I/O if nothing is due: each use of the tokens
   * calls it.
   */
  continue(): void {
    const { clock, work } = this.#options;
    if (this.#isRunning || work.closing.aborted) return;
    if (isDue(this.#nextRoundAt, clock, SEARCH_INTERVAL_MS)) void work.track(this.#runRound());
  }

  #inBoundedTime(work: Promise<unknown>): Promise<void> {
    return withTimeout(TIMEOUT_MS, this.#options.work.track(work)).then(
      () => undefined,
      () => undefined,
    );
  }

  async #revokeOrSave(token: Secret, expiresAt: number, userID?: string): Promise<void> {
    const { events, clock } = this.#options;
    try {
      events.emit(await this.#request(token), { userID });
    } catch (error) {
      events.reportFailure('revocation_failed', userID, 'revocation_failed', error);
      const since = clock.now();
      const waiting = { token, expiresAt, since, dueAt: since + FIRST_PAUSE_MS, failures: 1 };
      const isSaved = await this.#save(revocationID(randomText(24)), waiting).catch(() => false);
      if (!isSaved) events.reportFailure('revocation_abandoned', userID, 'revocation_abandoned');
    }
  }

  /** @returns the name of the event. Rejects when the service does not confirm the revocation. */
  async #request(token: Secret): Promise<'revoked' | 'revocation_unsupported'> {
    try {
      await withTimeout(TIMEOUT_MS, this.#options.server.revoke(token));
      return 'revoked';
    } catch (error) {
      // Not a failure: the service revokes no token.
      if (codeOf(error) === 'revocation_unsupported') return 'revocation_unsupported';
      throw isClinicianError(error) ? error : revocationTimeout();
    }
  }

  /** @returns false if too many tokens wait, and for one that has expired or is too long. */
  async #save(id: string, waiting: WaitingToken): Promise<boolean> {
    if (waiting.token.reveal().length > MAX_TOKEN_LENGTH) return false;
    if (this.#dueTimes.size >= MAX_WAITING || waiting.expiresAt <= waiting.since) return false;
    await this.#options.records.add(id, waiting);
    this.#dueTimes.set(id, waiting.dueAt);
    this.#schedule();
    return true;
  }

  #schedule(): void {
    this.#nextRoundAt = Math.min(this.#nextRoundAt, ...this.#dueTimes.values());
    this.#startTimer();
  }

  async #runRound(): Promise<void> {
    const { clock } = this.#options;
    this.#isRunning = true;
    await this.#repeatAll((dueAt) => isDue(dueAt, clock));
    this.#isRunning = false;
    const now = clock.now();
    const dueAt = Math.min(now + SEARCH_INTERVAL_MS, ...this.#dueTimes.values());
    this.#nextRoundAt = Math.max(now + FIRST_PAUSE_MS, dueAt);
    this.#startTimer();
  }

  /** Stops after ten requests without a success: the service is down. Never throws. */
  async #repeatAll(isSelected: (dueAt: number) => boolean): Promise<void> {
    const { records, work, clock } = this.#options;
    try {
      const known = [...this.#dueTimes.keys()];
      const ids = await records.list();
      const listed = new Set(ids);
      for (const id of known) if (!listed.has(id)) this.#dueTimes.delete(id);
      for (const id of ids) if (!this.#dueTimes.has(id)) this.#dueTimes.set(id, clock.now());
      const selected = ids.filter((id) => isSelected(this.#dueTimes.get(id) as number));
      for (let start = 0; start < selected.length && !work.ended.aborted; start += MAX_CONCURRENT) {
        const next = selected.slice(start, start + MAX_CONCURRENT);
        const results = await inTurns(next, (id) => this.#repeat(id, isSelected));
        if (results.includes('failed') && !results.includes('ended')) return;
      }
    } catch {
      // The token store is down, which its own event reports.
    }
  }

  /** @returns undefined when no request was sent. Rejects when the store fails. */
  async #repeat(id: string, isSelected: (dueAt: number) => boolean): Promise<'ended' | 'failed' | undefined> {
    const { records, events, clock } = this.#options;
    const found = await records.find(id);
    const now = clock.now();
    // A record of an unknown secret is left to the processes that have the secret.
    this.#setDueTime(id, found === false ? now + MAX_PAUSE_MS : found?.dueAt);
    if (!found || !isSelected(found.dueAt)) return undefined;
    if (found.expiresAt <= now) {
      await this.#end(found);
      events.reportFailure('revocation_abandoned', undefined, 'revocation_abandoned');
      return 'ended';
    }
    // The record is changed before the request, so that no other process sends it, and this one not again if it stops meanwhile.
    const dueAt = now + pauseAfter(found.failures + 1);
    if (!(await records.replace(found, { dueAt, failures: found.failures + 1 }))) return undefined;
    this.#setDueTime(id, dueAt);
    let name: 'revoked' | 'revocation_unsupported';
    try {
      name = await this.#request(found.token);
    } catch (error) {
      if (found.failures === 0) events.reportFailure('revocation_failed', undefined, 'revocation_failed', error);
      return 'failed';
    }
    await this.#end(found);
    if (name === 'revocation_unsupported' || found.failures === 0) events.emit(name, {});
    else events.emit('revoked_late', { failures: found.failures, durationMs: Math.max(0, clock.now() - found.since) });
    return 'ended';
  }

  async #end({ id }: StoredRevocation): Promise<void> {
    await this.#options.records.delete(id);
    this.#dueTimes.delete(id);
  }

  #setDueTime(id: string, dueAt: number | undefined): void {
    if (dueAt === undefined) this.#dueTimes.delete(id);
    else this.#dueTimes.set(id, dueAt);
  }

  /** Starts the next round in a process that receives no requests. The timer does not delay the end of a process. */
  #startTimer(): void {
    const { clock, work } = this.#options;
    clearTimeout(this.#timer);
    if (this.#dueTimes.size === 0 || work.closing.aborted) return;
    const ms = Math.max(FIRST_PAUSE_MS, this.#nextRoundAt - clock.now());
    this.#timer = setTimeout(() => {
      this.continue();
      if (!this.#isRunning) this.#startTimer();
    }, ms);
    this.#timer.unref();
  }

  /** @returns the token whose revocation includes the other one, and when it expires at the latest. */
  #revocable({ refreshToken, accessToken, expiresAt }: TokenSet): { token: Secret; expiresAt: number } {
    const latestExpiry = this.#latestExpiry();
    if (refreshToken) return { token: refreshToken, expiresAt: latestExpiry };
    return { token: accessToken, expiresAt: Math.min(expiresAt, latestExpiry) };
  }

  #latestExpiry(): number {
    return this.#options.clock.now() + REFRESH_TOKEN_LIFETIME_MS;
  }
}

/** A time that is further away than any pause is from before a change of the clock. */
function isDue(dueAt: number, clock: Clock, maxPauseMs: number = MAX_PAUSE_MS): boolean {
  const ms = dueAt - clock.now();
  return ms <= 0 || ms > maxPauseMs;
}

function pauseAfter(failures: number): number {
  return Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (failures - 1));
}

function revocationTimeout(): ServiceUnavailableError {
  const message = `The service did not revoke the tokens within ${TIMEOUT_MS / 1000} seconds.`;
  return new ServiceUnavailableError('service_timeout', message);
}
