import { clearTimeout, setTimeout } from '../../async/timers.js';
import { type Duration, milliseconds } from '../options/duration.js';
import type { RecordedRequest, WaitOptions } from './recorded-request.js';

type Match = (request: RecordedRequest) => boolean;

interface Waiter {
  readonly match: Match;
  readonly resolve: (request: RecordedRequest) => void;
  readonly reject: (error: unknown) => void;
  readonly failure: Error;
  readonly timer: NodeJS.Timeout;
}

const DEFAULT_TIMEOUT = '2 seconds';
const MAX_LISTED = 10;
const MAX_SOURCE_LENGTH = 200;
/** The limit of setTimeout(): a longer timeout would end at once. */
const MAX_TIMEOUT_MS = 2 ** 31 - 1;

/** The pending `waitFor()` calls. */
export class RequestWaiter {
  readonly #waiters = new Set<Waiter>();
  #closedReason: string | undefined;

  /**
   * @param recorded all requests; the array grows while the call waits
   * @param failure the error of a failed wait, with the stack of the call: a timer has none
   */
  wait(
    match: Match,
    { timeout = DEFAULT_TIMEOUT, description = `request that matches ${sourceOf(match)}` }: WaitOptions,
    recorded: readonly RecordedRequest[],
    failure: Error,
  ): Promise<RecordedRequest> {
    const timeoutMs = Math.min(milliseconds(timeout, 'The timeout of waitFor()'), MAX_TIMEOUT_MS);
    if (this.#closedReason !== undefined)
      return Promise.reject(Object.assign(failure, { message: this.#closedReason }));
    const request = new Promise<RecordedRequest>((resolve, reject) => {
      const fail = () => this.#fail(waiter, timeoutMessage(description, timeout, recorded));
      const waiter: Waiter = { match, resolve, reject, failure, timer: setTimeout(fail, timeoutMs) };
      waiter.timer.unref();
      this.#waiters.add(waiter);
    });
    // A test that failed earlier never awaits this promise: its rejection is not unhandled.
    request.catch(() => {});
    return request;
  }

  notify(request: RecordedRequest): void {
    for (const waiter of this.#waiters) {
      try {
        if (waiter.match(request)) this.#settle(waiter, waiter.resolve, request);
      } catch (error) {
        this.#settle(waiter, waiter.reject, error);
      }
    }
  }

  rejectAll(reason: string): void {
    for (const waiter of this.#waiters) this.#fail(waiter, reason);
  }

  /** Rejects all pending and later calls. */
  close(reason: string): void {
    this.#closedReason = reason;
    this.rejectAll(reason);
  }

  #fail(waiter: Waiter, message: string): void {
    this.#settle(waiter, waiter.reject, Object.assign(waiter.failure, { message }));
  }

  #settle<T>(waiter: Waiter, settle: (value: T) => void, value: T): void {
    clearTimeout(waiter.timer);
    this.#waiters.delete(waiter);
    settle(value);
  }
}

function sourceOf(match: Match): string {
  const source = String(match).replace(/\s+/g, ' ');
  return source.length > MAX_SOURCE_LENGTH ? `${source.slice(0, MAX_SOURCE_LENGTH)}...` : source;
}

function timeoutMessage(description: string, timeout: Duration, recorded: readonly RecordedRequest[]): string {
  const within = typeof timeout === 'number' ? `${timeout} ms` : timeout;
  const last = recorded
    .slice(-MAX_LISTED)
    .map(({ number, method, path, status }) => `\n  ${number}. ${method} ${path} ${status}`);
  const received = last.length === 0 ? 'no request.' : `the last of ${recorded.length} requests:${last.join('')}`;
  return `No ${description} arrived within ${within}. Received instead: ${received}`;
}
