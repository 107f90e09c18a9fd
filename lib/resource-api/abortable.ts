import { setTimeout as sleep } from 'node:timers/promises';

/** @returns the result of a promise, or rejects with the signal's reason when it is aborted. The promise continues. */
export function abortable<R>(promise: Promise<R>, signal: AbortSignal | undefined): Promise<R> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

/** Waits; an aborted wait rejects with the signal's reason and clears its timer. */
export type Pause = (ms: number, signal?: AbortSignal) => Promise<void>;

export const pause: Pause = async (ms, signal) => {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
};
