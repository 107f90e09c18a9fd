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
