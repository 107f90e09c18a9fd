import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import { isClinicianError, ServiceUnavailableError } from '../errors.js';

/**
 * Stops the requests of an application to a resource API that does not respond. The service sends no response to a blacklisted
 * application (service spec, "Errors"): each request would wait for the timeout and hold a connection.
 */
export interface CircuitBreaker {
  /** @throws ServiceUnavailableError `api_not_responding` while no request of this user is sent */
  assertClosed(userID: string): void;
  /** Sends a request of a user, unless the breaker is open. After the back-off, one request at a time tries again. */
  run<T>(userID: string, send: () => Promise<T>): Promise<T>;
}

/** The number of consecutive requests without a response that opens the breaker. */
const MAX_FAILURES = 5;
/** The first back-off. It doubles after each further request without a response. */
const MIN_BACKOFF_MS = 5_000;
const MAX_BACKOFF_MS = 5 * 60 * 1000;
/** A request that the caller aborts counts as one without a response after this time. */
const MIN_ABORTED_MS = 2_000;
/** The number of requests that wait for a response at the same time. */
const MAX_PENDING = 256;
/** The same for one user. Unknown users, whose sign-in is not finished, have no limit of their own. */
const MAX_PENDING_OF_USER = 64;
const NO_RESPONSE: ReadonlySet<string> = new Set(['service_timeout', 'service_unreachable']);

/** Back-offs have no jitter: after each, a process sends one request only, and rejects the others. */
export function createCircuitBreaker({ clock }: { clock: Clock }): CircuitBreaker {
  let failures = 0;
  /** The users of these failures: two stop the requests of all users. The API may not respond for one user only. */
  const failedUsers = new BoundedMap<string, true>(2);
  let pending = 0;
  const pendingOf = new Map<string, number>();
  let backoffMs = MIN_BACKOFF_MS;
  /** The end of the back-off. Absent while the breaker is closed. */
  let openUntil: number | undefined;

  /** @returns the end of the back-off, where it applies to this user. */
  function openFor(userID: string): number | undefined {
    return failedUsers.size > 1 || failedUsers.has(userID) ? openUntil : undefined;
  }

  function assertClosed(userID: string): void {
    const now = clock.now();
    const until = openFor(userID);
    // A longer back-off is from before a change of the clock.
    if (until !== undefined && now < until && until <= now + MAX_BACKOFF_MS) throw notResponding(until);
    const isBusy = userID !== '' && (pendingOf.get(userID) ?? 0) >= MAX_PENDING_OF_USER;
    if (isBusy || pending >= MAX_PENDING) throw notResponding(now);
  }

  function countPending(userID: string, change: 1 | -1): void {
    pending += change;
    const count = (pendingOf.get(userID) ?? 0) + change;
    if (count > 0) pendingOf.set(userID, count);
    else pendingOf.delete(userID);
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
    failedUsers.set(userID, true);
    if (failures < MAX_FAILURES || (openUntil !== undefined && !isRetry)) return;
    openUntil = clock.now() + backoffMs;
    backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
  }

  return {
    assertClosed,
    async run(userID, send) {
      assertClosed(userID);
      const sentAt = clock.now();
      const isRetry = openFor(userID) !== undefined;
      // Until the retry has a result, no other is sent; one that never has a result delays the next by one back-off.
      if (isRetry) openUntil = sentAt + backoffMs;
      countPending(userID, 1);
      try {
        const response = await send();
        close();
        return response;
      } catch (error) {
        const hasResponse = isClinicianError(error) && !NO_RESPONSE.has(error.code);
        if (hasResponse) close();
        else if (isClinicianError(error) || clock.now() - sentAt >= MIN_ABORTED_MS) countFailure(userID, isRetry);
        else if (isRetry && openUntil !== undefined) openUntil = clock.now();
        throw error;
      } finally {
        countPending(userID, -1);
      }
    },
  };
}

function notResponding(retryAt: number): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'api_not_responding',
    'The resource API does not respond, so no request was sent. Retry later. It does not respond to a blacklisted application: if this continues, ask the operator of the service.',
    { retryAt },
  );
}
