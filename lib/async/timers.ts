import timers from 'node:timers';
import promises from 'node:timers/promises';
import { MessageChannel } from 'node:worker_threads';

// Read once, at load: fake timers of a test replace these functions too, and what waits for them would never end.
export const setTimeout: typeof timers.setTimeout = timers.setTimeout;
export const clearTimeout: typeof timers.clearTimeout = timers.clearTimeout;
export const setImmediate: typeof timers.setImmediate = timers.setImmediate;
export const sleep: typeof promises.setTimeout = promises.setTimeout;
export const nextTurn: typeof promises.setImmediate = promises.setImmediate;

/** A request to the site or the mock provider takes a few milliseconds, and the time limit of mocha is two seconds. */
const TIMEOUT_MS = 1_500;
const FAKE_TIMERS =
  "Fake timers stop the site, its packages or Node itself. Install them after the imports, and without process.nextTick and queueMicrotask. Most tests need only a fake date: vi.useFakeTimers({ toFake: ['Date'] }).";

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

/**
 * How long a store, or other code of the site, may take: with the requests to the service, a sign-in ends within the 60 seconds of a
 * usual proxy.
 */
export const SITE_TIMEOUT_MS = 30_000;

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
      else timer = globalThis.setTimeout(wait, timeoutMs / PARTS, parts - 1);
    };
    // Not the timers above: a test that replaces those of the process shortens this time too.
    timer = globalThis.setTimeout(wait, timeoutMs / PARTS, PARTS - 1);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    globalThis.clearTimeout(timer);
  }
}
