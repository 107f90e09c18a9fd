import type { Clock } from '../clock.js';
import { isClinicianError, ServiceUnavailableError } from '../errors.js';
import { RequestSlots } from './request-slots.js';

/**
 * Stops the requests of an application to a resource API that does not respond. The service sends no response to a blacklisted
 * application (service spec, "Errors"): each request would wait for the timeout and hold a connection.
 */
export interface CircuitBreaker {
  /** @throws ServiceUnavailableError `api_not_responding` while no request of this user is sent */
  assertClosed(userID: string): void;
  /**
   * Sends a request of a user, unless the breaker is open. After the back-off, one request at a time tries again.
   * @param signal the caller's: a request that it aborts shows nothing about the API
   */
  run<T>(userID: string, send: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** The number of consecutive requests without a response that opens the breaker for their users. */
const MAX_FAILURES = 5;
/** The number of their users that opens it for all: the API may not respond for a few users only. */
const MAX_FAILED_USERS = 5;
/** The first back-off. It doubles after each further request without a response. */
const MIN_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 5 * 60 * 1000;
const NO_RESPONSE: ReadonlySet<string> = new Set(['service_timeout', 'service_unreachable']);

/** Back-offs have no jitter: after each, a process sends one request only, and rejects the others. */
export function createCircuitBreaker({ clock }: { clock: Clock }): CircuitBreaker {
  const slots = new RequestSlots({ clock });
  let failures = 0;
  /** The users of these failures. */
  const failedUsers = new Set<string>();
  let backoffMs = MIN_BACKOFF_MS;
  /** The end of the back-off. Absent while the breaker is closed. */
  let openUntil: number | undefined;

  /** @returns the end of the back-off, where it applies to this user. */
  function openFor(userID: string): number | undefined {
    return failedUsers.size >= MAX_FAILED_USERS || failedUsers.has(userID) ? openUntil : undefined;
  }

  function assertClosed(userID: string): void {
    const now = clock.now();
    const until = openFor(userID);
    // A longer back-off is from before a change of the clock.
    if (until !== undefined && now < until && until <= now + MAX_BACKOFF_MS) throw notResponding(until);
  }

  function close(): void {
    failures = 0;
    failedUsers.clear();
    backoffMs = MIN_BACKOFF_MS;
    openUntil = undefined;
  }

  /** Requests that were sent before the breaker opened do not extend the back-off. */
  function countFailure(userID: string, isRetry: boolean): void {
    failures += 1;
    if (failedUsers.size < MAX_FAILED_USERS) failedUsers.add(userID);
    if (failures < MAX_FAILURES || (openUntil !== undefined && !isRetry)) return;
    openUntil = clock.now() + backoffMs;
    backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
  }

  async function attempt<T>(userID: string, send: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    assertClosed(userID);
    const isRetry = openFor(userID) !== undefined;
    // Until the retry has a result, no other is sent; one that never has a result delays the next by one back-off.
    if (isRetry) openUntil = clock.now() + backoffMs;
    try {
      const response = await send();
      close();
      return response;
    } catch (error) {
      if (signal?.aborted) {
        if (isRetry && openUntil !== undefined) openUntil = clock.now();
      } else if (isClinicianError(error) && !NO_RESPONSE.has(error.code)) close();
      else countFailure(userID, isRetry);
      throw error;
    }
  }

  return {
    assertClosed,
    run: (userID, send, signal) => slots.run(userID, () => attempt(userID, send, signal), signal),
  };
}

function notResponding(retryAt: number): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'api_not_responding',
    'The resource API does not respond, so no request was sent. Retry later. It does not respond to a blacklisted application: if this continues, ask the operator of the service.',
    { retryAt },
  );
}
