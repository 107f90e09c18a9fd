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
/** How many more requests of one user wait until one of these ends. */
const MAX_WAITING_OF_USER = 256;
const RETRY_AFTER_MS = 1_000;

/**
 * Stops the requests of an application to a resource API that does not respond. The service sends no response to a blacklisted
 * application (service spec, "Errors"): each request would wait for the timeout and hold a connection.
 */
export class CircuitBreaker {
  readonly #slots: RequestSlots;
  readonly #gate: RetryGate;
  /** The users of the requests that failed in succession. */
  readonly #failedUsers = new Set<string>();

  constructor({ clock }: { clock: Clock }) {
    this.#slots = new RequestSlots(clock);
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
   */
  run<T>(userID: string, send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    return this.#slots.run(userID, () => this.#attempt(userID, send, signal), signal);
  }

  async #attempt<T>(userID: string, send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    this.assertClosed(userID);
    const isRetry = this.#isOpenFor(userID);
    if (isRetry) this.#gate.startRetry();
    try {
      const response = await send();
      this.close();
      return response;
    } catch (error) {
      if (signal?.aborted) {
        if (isRetry) this.#gate.abortRetry();
      } else if (isClinicianError(error) && error.code !== 'service_unreachable') this.close();
      else this.#recordFailure(userID, isRetry);
      throw error;
    }
  }

  /** Sends requests again, and counts failures from the start. */
  close(): void {
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

interface UserSlots {
  pending: number;
  /** Starts the next requests, in the order of their calls. */
  readonly waiting: Set<() => void>;
}

/** Limits how many requests wait for a response at the same time. */
class RequestSlots {
  readonly #clock: Clock;
  readonly #users = new Map<string, UserSlots>();
  #pending = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Sends a request of a user when fewer than 16 of this user are sent.
   * @param signal ends the wait
   * @throws ServiceUnavailableError `rate_limited`
   */
  async run<T>(userID: string, send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#take(userID, signal);
    try {
      return await send();
    } finally {
      this.#release(userID);
    }
  }

  async #take(userID: string, signal: AbortSignal | undefined): Promise<void> {
    const user = this.#users.get(userID) ?? { pending: 0, waiting: new Set() };
    const isBusy = userID !== '' && user.pending >= MAX_PENDING_OF_USER;
    const isFull = isBusy ? user.waiting.size >= MAX_WAITING_OF_USER : this.#pending >= MAX_PENDING;
    if (isFull) throw tooManyAtOnce(this.#clock.now() + RETRY_AFTER_MS);
    if (isBusy) return await nextTurn(user.waiting, signal);
    this.#users.set(userID, user);
    user.pending += 1;
    this.#pending += 1;
  }

  /** Passes the slot to the next request of the user. */
  #release(userID: string): void {
    const user = this.#users.get(userID) as UserSlots;
    const [start] = user.waiting;
    if (start) {
      start();
      return;
    }
    user.pending -= 1;
    this.#pending -= 1;
    if (user.pending === 0) this.#users.delete(userID);
  }
}

function nextTurn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      waiting.delete(start);
      signal?.removeEventListener('abort', abort);
    };
    const start = () => {
      end();
      resolve();
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    waiting.add(start);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** @returns the error for a request that is not sent because of other requests of this process, although calls are left. */
export function tooManyAtOnce(retryAt: number): ServiceUnavailableError {
  const message =
    'Too many calls of the resource API are waiting in this process. Send fewer at once, or retry later; in a test, move the clock.';
  return new ServiceUnavailableError('rate_limited', message, { retryAt });
}
