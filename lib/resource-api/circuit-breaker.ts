import type { Clock } from '../async/clock.js';
import { RetryGate } from '../async/retry-gate.js';
import { isClinicianError, ServiceUnavailableError } from '../errors/errors.js';

const LIMITS = { maxFailures: 5, minMs: 5_000, maxMs: 5 * 60 * 1000 };
/** How many users with failures open the breaker for all users: the API may fail for a few users only. */
const MAX_FAILED_USERS = 5;
/** The number of requests of the application that wait for a response at the same time. */
const MAX_PENDING = 256;
/** The same for one user: a few users cannot take all. Unknown users, whose sign-in is not finished, have no limit of their own. */
const MAX_PENDING_OF_USER = 16;
const RETRY_AFTER_MS = 1_000;

/**
 * Limits how many requests wait for a response at the same time, and stops the requests of an application to a resource API that does
 * not respond. The service sends no response to a blacklisted application (service spec, "Errors"): each request would wait for the
 * timeout and hold a connection.
 */
export class CircuitBreaker {
  readonly #clock: Clock;
  readonly #gate: RetryGate;
  /** The users of the requests that failed in succession. */
  readonly #failedUsers = new Set<string>();
  readonly #pendingOf = new Map<string, number>();
  #pending = 0;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
    this.#gate = new RetryGate(clock, LIMITS);
  }

  /** @throws ServiceUnavailableError `api_not_responding` while no request of this user is sent */
  assertClosed(userID: string): void {
    const { retryAt } = this.#gate;
    if (retryAt !== undefined && this.#isOpenFor(userID)) throw notResponding(retryAt);
  }

  /**
   * Sends a request of a user, unless the breaker is open. After the back-off, one request at a time tries again.
   * @param signal the caller's: a request that it aborts shows nothing about the API
   * @throws ServiceUnavailableError `rate_limited`
   */
  async run<T>(userID: string, send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const pending = this.#pendingOf.get(userID) ?? 0;
    const isFull = this.#pending >= MAX_PENDING || (userID !== '' && pending >= MAX_PENDING_OF_USER);
    if (isFull) throw tooManyAtOnce(this.#clock.now() + RETRY_AFTER_MS);
    this.#count(userID, 1);
    try {
      return await this.#attempt(userID, send, signal);
    } finally {
      this.#count(userID, -1);
    }
  }

  async #attempt<T>(userID: string, send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.assertClosed(userID);
    const isRetry = this.#isOpenFor(userID);
    if (isRetry) this.#gate.startRetry();
    try {
      const response = await send();
      this.#close();
      return response;
    } catch (error) {
      if (signal?.aborted) {
        if (isRetry) this.#gate.abortRetry();
      } else if (isClinicianError(error) && error.code !== 'service_unreachable') this.#close();
      else this.#recordFailure(userID, isRetry);
      throw error;
    }
  }

  #count(userID: string, change: 1 | -1): void {
    const pending = (this.#pendingOf.get(userID) ?? 0) + change;
    this.#pending += change;
    if (pending > 0) this.#pendingOf.set(userID, pending);
    else this.#pendingOf.delete(userID);
  }

  /** Sends requests again, and counts failures from the start. */
  #close(): void {
    this.#gate.succeeded();
    this.#failedUsers.clear();
  }

  #isOpenFor(userID: string): boolean {
    return this.#gate.isLimited && (this.#failedUsers.size >= MAX_FAILED_USERS || this.#failedUsers.has(userID));
  }

  #recordFailure(userID: string, isRetry: boolean): void {
    if (this.#failedUsers.size < MAX_FAILED_USERS) this.#failedUsers.add(userID);
    this.#gate.failed(isRetry);
  }
}

function notResponding(retryAt: number): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'api_not_responding',
    'The resource API does not respond, so no request was sent. Retry later. It does not respond to a blacklisted application: if this continues, ask the operator of the service.',
    { retryAt },
  );
}

function tooManyAtOnce(retryAt: number): ServiceUnavailableError {
  const message = 'Too many calls of the resource API wait for a response. Send fewer at once, or retry later.';
  return new ServiceUnavailableError('rate_limited', message, { retryAt });
}
