import timers from 'node:timers';
import promises from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';

/** Provides the current time. It is a parameter of everything that needs the time, so that tests can control it. */
export interface Clock {
  /** @returns milliseconds since the Unix epoch. */
  now(): number;
}

/** Reads the system clock, which is the default. */
export const systemClock: Clock = { now: () => Date.now() };

// Read once, at load: fake timers of a test replace these functions too, and what waits for them would never end.
export const setTimeout: typeof timers.setTimeout = timers.setTimeout;
export const clearTimeout: typeof timers.clearTimeout = timers.clearTimeout;
export const setImmediate: typeof timers.setImmediate = timers.setImmediate;
export const sleep: typeof promises.setTimeout = promises.setTimeout;
export const nextTurn: typeof promises.setImmediate = promises.setImmediate;

/** A request to the site or the mock provider takes a few milliseconds, and the time limit of mocha is two seconds. */
const TIMEOUT_MS = 1_500;
const FAKE_TIMERS =
  "Fake timers stop the site, its packages or Node itself. Install them after the imports, and without process.nextTick and queueMicrotask. In most tests the time is enough: vi.useFakeTimers({ toFake: ['Date'] }).";

/** @returns true while fake timers are installed: those of jest, vitest and sinon have this property. */
function areTimersFake(): boolean {
  return [globalThis.setTimeout, globalThis.setImmediate, process.nextTick].some((one) => Object.hasOwn(one, 'clock'));
}

/** @returns the result of a promise. If it does not settle because of fake timers, rejects with that reason. */
export async function explainFakeTimers<T>(work: PromiseLike<T>): Promise<T> {
  if (!areTimersFake()) return await work;
  const { port1 } = new MessageChannel();
  port1.ref(); // the timer of the signal, which is never replaced, does not keep the process running
  const stopped = new Promise<never>((_, reject) => {
    AbortSignal.timeout(TIMEOUT_MS).addEventListener('abort', () => reject(new Error(FAKE_TIMERS)));
  });
  return await Promise.race([work, stopped]).finally(() => port1.close());
}

/**
 * A pause of the process takes at most one of these parts of a time limit. Node runs its timers before it reads what has arrived
 * during the pause, so one timer would reject although the result is there.
 */
const PARTS = 4;

/** The error of a promise that is too slow. */
export class TimeoutError extends Error {}

/**
 * @returns the result of a promise, or rejects with {@link TimeoutError} after `timeoutMs`. The promise continues, and its later
 * rejection is handled.
 */
export async function withTimeout<T>(timeoutMs: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    const wait = (parts: number) => {
      if (parts === 0) reject(new TimeoutError(`no result within ${timeoutMs} ms`));
      else timer = setTimeout(wait, timeoutMs / PARTS, parts - 1);
    };
    timer = setTimeout(wait, timeoutMs / PARTS, PARTS - 1);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** How often calls are sent that fail in succession. */
interface RetryLimits {
  /** The number of failures in succession after which the calls are limited. */
  maxFailures: number;
  /** The first back-off. It doubles after each further failure. */
  minMs: number;
  maxMs: number;
}

/** Limits calls that fail in succession: then one call is sent after each back-off. Back-offs have no jitter. */
export class RetryGate {
  readonly #clock: Clock;
  readonly #limits: RetryLimits;
  #failures = 0;
  #backOffMs: number;
  #retryAt: number | undefined;

  constructor(clock: Clock, limits: RetryLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#backOffMs = limits.minMs;
  }

  /** True if the next call is a retry: see {@link startRetry}. */
  get isLimited(): boolean {
    return this.#failures >= this.#limits.maxFailures;
  }

  /** The end of the back-off, in milliseconds since the epoch of the clock. Undefined if a call may be sent. */
  get retryAt(): number | undefined {
    const now = this.#clock.now();
    const retryAt = this.#retryAt ?? now;
    // A longer back-off is from before a change of the clock.
    return now < retryAt && retryAt <= now + this.#limits.maxMs ? retryAt : undefined;
  }

  /** Until the retry has a result, no other is sent. One that never has a result delays the next one by one back-off. */
  startRetry(): void {
    this.#retryAt = this.#clock.now() + this.#backOffMs;
  }

  /** Ends the back-off after a retry whose result shows nothing. */
  abortRetry(): void {
    this.#retryAt = undefined;
  }

  succeeded(): void {
    this.#failures = 0;
    this.#backOffMs = this.#limits.minMs;
    this.#retryAt = undefined;
  }

  failed(): void {
    this.#failures += 1;
    if (!this.isLimited) return;
    this.startRetry();
    this.#backOffMs = Math.min(this.#limits.maxMs, this.#backOffMs * 2);
  }
}
