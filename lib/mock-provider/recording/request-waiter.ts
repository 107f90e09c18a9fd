import { type Duration, milliseconds } from '../options/duration.js';
import type { RecordedRequest, WaitOptions } from './recorded-request.js';

type Match = (request: RecordedRequest) => boolean;

interface Waiting {
  readonly match: Match;
  readonly resolve: (request: RecordedRequest) => void;
  readonly reject: (error: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

const LAST_FEW = 10;
/** What a timer can count; a longer one would end at once. */
const LONGEST_PATIENCE = 2 ** 31 - 1;

/** Who waits for a request that is still to come. */
export class RequestWaiter {
  readonly #waiting = new Set<Waiting>();
  #end: string | undefined;

  /** @param seen all requests till now; it goes on growing */
  wait(
    match: Match,
    { timeout = '5 seconds' }: WaitOptions,
    seen: readonly RecordedRequest[],
  ): Promise<RecordedRequest> {
    const patience = milliseconds(timeout, 'The timeout of waitFor()');
    if (this.#end !== undefined) return Promise.reject(new Error(this.#end));
    const coming = new Promise<RecordedRequest>((resolve, reject) => {
      const tooLate = () => this.#leave(waiting, reject, new Error(sentence(timeout, seen)));
      const waiting: Waiting = {
        match,
        resolve,
        reject,
        timer: setTimeout(tooLate, Math.min(patience, LONGEST_PATIENCE)),
      };
      waiting.timer.unref();
      this.#waiting.add(waiting);
    });
    // Who asked and never looked, because their test failed before, is no unhandled rejection.
    coming.catch(() => {});
    return coming;
  }

  notify(recorded: RecordedRequest): void {
    for (const waiting of this.#waiting) {
      try {
        if (waiting.match(recorded)) this.#leave(waiting, waiting.resolve, recorded);
      } catch (error) {
        this.#leave(waiting, waiting.reject, error);
      }
    }
  }

  /** Sends everybody away; `forGood` also whoever comes later. */
  rejectAll(why: string, forGood = false): void {
    if (forGood) this.#end = why;
    for (const waiting of this.#waiting) this.#leave(waiting, waiting.reject, new Error(why));
  }

  #leave<T>(waiting: Waiting, tell: (value: T) => void, value: T): void {
    clearTimeout(waiting.timer);
    this.#waiting.delete(waiting);
    tell(value);
  }
}

function sentence(timeout: Duration, seen: readonly RecordedRequest[]): string {
  const within = typeof timeout === 'number' ? `${timeout} ms` : timeout;
  const last = seen
    .slice(-LAST_FEW)
    .map(({ number, method, path, status }) => `\n  ${number}. ${method} ${path} ${status}`);
  const instead =
    last.length === 0 ? 'None came at all.' : `${seen.length} are recorded, the last of them:${last.join('')}`;
  return `No request that matches came within ${within}. ${instead}`;
}
