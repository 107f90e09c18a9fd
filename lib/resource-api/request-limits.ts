import type { Clock } from '../async/clock.js';
import { BoundedMap, RetryGate } from '../async/work.js';
import { isClinicianError, ServiceUnavailableError } from '../errors/errors.js';
import { RateBudget, tooManyAtOnce } from './rate-limit.js';

/** The number of users in memory. The least recently used one is dropped first. */
const MAX_USERS = 10_000;
const RETRIES = { maxFailures: 5, minMs: 5_000, maxMs: 5 * 60 * 1000 };
/** How many users without a response stop the requests of all users: the API may fail for a few users only. */
const MAX_FAILED_USERS = 5;
/** The number of requests of the application that wait for a response at the same time. */
const MAX_PENDING = 256;

/**
 * What the requests of one application share, in this process: the service limits each user, and sends no response to a blacklisted
 * application (service spec, "Errors"), whose requests would all wait for the timeout and hold a connection.
 */
export class RequestLimits {
  readonly #clock: Clock;
  readonly #budgets = new BoundedMap<string, RateBudget>(MAX_USERS);
  readonly #gate: RetryGate;
  /** The users of the requests that failed in succession. */
  readonly #failedUsers = new Set<string>();
  #pending = 0;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
    this.#gate = new RetryGate(clock, RETRIES);
  }

  /** @param userID the service's id: a site may map several clinicians to one user, and each has a limit */
  budgetOf(userID: string): RateBudget {
    const budget = this.#budgets.get(userID) ?? new RateBudget(this.#clock);
    this.#budgets.set(userID, budget);
    return budget;
  }

  /** Removes what is known about a user. */
  remove(userID: string): void {
    this.#budgets.delete(userID);
    this.#failedUsers.delete(userID);
  }

  /**
   * Sends a request of a user. After five without a response no other is sent, and after each back-off one tries again.
   * @param userID empty while the user is unknown
   * @param signal the caller's: a request that it aborts shows nothing about the API
   * @throws ServiceUnavailableError `api_not_responding` or `rate_limited`
   */
  async send<T>(userID: string, request: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.#pending >= MAX_PENDING) throw tooManyAtOnce(this.#clock.now());
    const isStopped = this.#failedUsers.size >= MAX_FAILED_USERS || this.#failedUsers.has(userID);
    const isRetry = isStopped && this.#gate.isLimited;
    if (isRetry) this.#startRetry();
    this.#pending += 1;
    try {
      const response = await request();
      this.#recordResponse();
      return response;
    } catch (error) {
      if (signal?.aborted) {
        if (isRetry) this.#gate.abortRetry();
      } else if (isClinicianError(error) && error.code !== 'service_unreachable') this.#recordResponse();
      else this.#recordFailure(userID, isRetry);
      throw error;
    } finally {
      this.#pending -= 1;
    }
  }

  #startRetry(): void {
    const { retryAt } = this.#gate;
    if (retryAt !== undefined) throw notResponding(retryAt);
    this.#gate.startRetry();
  }

  #recordResponse(): void {
    this.#gate.succeeded();
    this.#failedUsers.clear();
  }

  #recordFailure(userID: string, isRetry: boolean): void {
    if (this.#failedUsers.size < MAX_FAILED_USERS) this.#failedUsers.add(userID);
    // A request that was sent before the others were stopped does not extend the back-off.
    if (isRetry || !this.#gate.isLimited) this.#gate.failed();
  }
}

function notResponding(retryAt: number): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'api_not_responding',
    'The resource API does not respond, so no request was sent. Retry later. It does not respond to a blacklisted application: if this continues, ask the operator of the service.',
    { retryAt },
  );
}
