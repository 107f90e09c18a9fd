import type { Clock } from '../clock.js';
import { isClinicianError, ServiceUnavailableError } from '../errors.js';

/**
 * Stops the requests of an application to a resource API that does not respond. The service sends no response to a blacklisted
 * application (service spec, "Errors"): each request would wait for the timeout and hold a connection.
 */
export interface CircuitBreaker {
  /** @throws ServiceUnavailableError `api_not_responding` while no request is sent */
  assertClosed(): void;
  /** Sends a request, unless the breaker is open. After the back-off, one request at a time tries again. */
  run<T>(send: () => Promise<T>): Promise<T>;
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

export function createCircuitBreaker({ clock }: { clock: Clock }): CircuitBreaker {
  let failures = 0;
  let pending = 0;
  let backoffMs = MIN_BACKOFF_MS;
  /** The end of the back-off. Absent while the breaker is closed. */
  let openUntil: number | undefined;
  let isTrying = false;

  function assertClosed(): void {
    const now = clock.now();
    // A longer back-off is from before a change of the clock.
    const isBackingOff = openUntil !== undefined && now < openUntil && openUntil <= now + MAX_BACKOFF_MS;
    if (isBackingOff || isTrying) throw notResponding(Math.max(openUntil ?? now, now));
    if (pending >= MAX_PENDING) throw notResponding(now);
  }

  function close(): void {
    failures = 0;
    backoffMs = MIN_BACKOFF_MS;
    openUntil = undefined;
  }

  /** Requests that were sent before the breaker opened do not extend the back-off. */
  function countFailure(isRetry: boolean): void {
    failures += 1;
    if (failures < MAX_FAILURES || (openUntil !== undefined && !isRetry)) return;
    openUntil = clock.now() + backoffMs;
    backoffMs = Math.min(MAX_BACKOFF_MS, backoffMs * 2);
  }

  return {
    assertClosed,
    async run(send) {
      assertClosed();
      const isRetry = openUntil !== undefined;
      if (isRetry) isTrying = true;
      pending += 1;
      const sentAt = clock.now();
      try {
        const response = await send();
        close();
        return response;
      } catch (error) {
        if (isWithoutResponse(error, clock.now() - sentAt)) countFailure(isRetry);
        throw error;
      } finally {
        pending -= 1;
        if (isRetry) isTrying = false;
      }
    },
  };
}

function isWithoutResponse(error: unknown, waitedMs: number): boolean {
  if (!isClinicianError(error)) return waitedMs >= MIN_ABORTED_MS;
  return error.code === 'service_timeout' || error.code === 'service_unreachable';
}

function notResponding(retryAt: number): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'api_not_responding',
    'The resource API does not respond, so no request was sent. Retry later. It does not respond to a blacklisted application: if this continues, ask the operator of the service.',
    { retryAt },
  );
}
