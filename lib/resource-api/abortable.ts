import { setTimeout as pauseFor } from 'node:timers/promises';

/** @returns what the promise brings, or rejects with the caller's own reason as soon as he gives up. The promise itself goes on. */
export function abortable<R>(promise: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits, and leaves no timer behind when the wait is given up. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

export const pause: Pause = async (ms, signal) => {
  try {
    await pauseFor(ms, undefined, signal && { signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
};
