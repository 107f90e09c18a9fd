import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceUnavailableError } from '../errors/errors.js';
import { withTimeout } from './with-timeout.js';

/** Tracks the work of a process that must end before the process exits. */
export interface PendingWork {
  /** Tracks work that has started. @returns its result */
  track<T>(work: Promise<T>): Promise<T>;
  /** Starts and tracks work. @throws ServiceUnavailableError `closed` after {@link PendingWork.close} was called */
  start<T>(work: () => Promise<T>): Promise<T>;
  /** Starts no more work, and waits for all that is tracked. @returns false if it has not ended within the time */
  close(timeoutMs: number): Promise<boolean>;
  /** Is aborted when {@link PendingWork.close} is called: work that starts then is waited for. */
  readonly closing: AbortSignal;
}

export function createPendingWork(): PendingWork {
  const pending = new Set<Promise<unknown>>();
  const closing = new AbortController();

  function track<T>(work: Promise<T>): Promise<T> {
    pending.add(work);
    const remove = () => pending.delete(work);
    work.then(remove, remove);
    return work;
  }

  async function settle(): Promise<void> {
    while (pending.size > 0) {
      await Promise.allSettled(pending);
      // Work that ends may start more work, for example to store the tokens of a token response.
      await nextTurn();
    }
  }

  return {
    track,
    async start(work) {
      if (closing.signal.aborted) {
        throw new ServiceUnavailableError(
          'closed',
          'This process is stopping and requests no more tokens. Retry later.',
        );
      }
      return await track(work());
    },
    async close(timeoutMs) {
      closing.abort();
      return await withTimeout(timeoutMs, settle()).then(
        () => true,
        () => false,
      );
    },
    closing: closing.signal,
  };
}
