import { ServiceUnavailableError } from '../errors/errors.js';
import { nextTurn } from './timers.js';
import { withTimeout } from './with-timeout.js';

/** Tracks the work of a process that must end before the process exits. */
export class PendingWork {
  readonly #pending = new Set<Promise<unknown>>();
  readonly #closing = new AbortController();

  /** Is aborted when {@link PendingWork.close} is called: work that starts then is waited for. */
  readonly closing: AbortSignal = this.#closing.signal;

  /** Tracks work that has started. @returns its result */
  track<T>(work: Promise<T>): Promise<T> {
    this.#pending.add(work);
    const remove = () => this.#pending.delete(work);
    work.then(remove, remove);
    return work;
  }

  /** Starts and tracks work. @throws ServiceUnavailableError `closed` after {@link PendingWork.close} was called */
  async start<T>(work: () => Promise<T>): Promise<T> {
    if (!this.closing.aborted) return await this.track(work());
    throw new ServiceUnavailableError('closed', 'This process is stopping and requests no more tokens. Retry later.');
  }

  /** Starts no more work, and waits for all that is tracked. @returns false if it has not ended within the time */
  async close(timeoutMs: number): Promise<boolean> {
    this.#closing.abort();
    return await withTimeout(timeoutMs, this.#settle()).then(
      () => true,
      () => false,
    );
  }

  async #settle(): Promise<void> {
    while (this.#pending.size > 0) {
      await Promise.allSettled(this.#pending);
      // Work that ends may start more work, for example to store the tokens of a token response.
      await nextTurn();
    }
  }
}
