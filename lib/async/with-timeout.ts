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
    let parts = 0;
    timer = setInterval(() => {
      parts += 1;
      if (parts === PARTS) reject(new TimeoutError(`no result within ${timeoutMs} ms`));
    }, timeoutMs / PARTS);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearInterval(timer);
  }
}
