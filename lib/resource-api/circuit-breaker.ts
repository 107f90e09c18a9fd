import type { Clock } from '../async/clock.js';
import { RetryGate } from '../async/retry-gate.js';
import { isClinicianError, ServiceUnavailableError } from '../errors/errors.js';
import { RequestSlots } from './request-slots.js';

const LIMITS = { maxFailures: 5, minMs: 5_000, maxMs: 5 * 60 * 1000 };
/** The number of users with failures that opens the breaker for all: the API may not respond for a few users only. */
const MAX_FAILED_USERS = 5;
const NO_RESPONSE: ReadonlySet<string> = new Set(['service_timeout', 'service_unreachable']);

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
    this.#slots = new RequestSlots({ clock });
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
      this.#close();
      return response;
    } catch (error) {
      if (signal?.aborted) {
        if (isRetry) this.#gate.abortRetry();
      } else if (isClinicianError(error) && !NO_RESPONSE.has(error.code)) this.#close();
      else this.#recordFailure(userID, isRetry);
      throw error;
    }
  }

  #isOpenFor(userID: string): boolean {
    return this.#gate.isLimited && (this.#failedUsers.size >= MAX_FAILED_USERS || this.#failedUsers.has(userID));
  }

  #close(): void {
    this.#gate.succeeded();
    this.#failedUsers.clear();
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
