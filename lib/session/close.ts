import type { PendingWork } from '../async/pending-work.js';
import type { Events } from '../events/events.js';

/** The time to store the tokens of a token response that arrives at its time limit. */
const STORE_TIME_MS = 2_000;

/**
 * @param options.timeout the time limit of one request to the service
 * @returns the function `close()` of an instance. Its second call returns the first promise. It never rejects, so that the site closes
 * its stores afterwards. Meanwhile no tokens are requested: a process that ends during a refresh signs the user out. @internal
 */
export function createClose(options: {
  work: PendingWork;
  closeConnections: () => void;
  timeout: number;
  events: Events;
}): () => Promise<void> {
  const { work, closeConnections, timeout, events } = options;
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    const isComplete = await work.close(timeout + STORE_TIME_MS);
    if (!isComplete) events.report('close_incomplete');
    closeConnections();
  }

  return () => {
    closing ??= close();
    return closing;
  };
}
