import { RetryGate } from '../async/retry-gate.js';

/** After this many commands of a group in succession without a reply, one command of all such groups is sent per interval. */
const MAX_TIMEOUTS = 5;
/** The interval is longer than the time after which clients usually close a connection without traffic. */
const RETRIES = { maxFailures: 0, minMs: 5_000, maxMs: 5_000 };

/**
 * Limits the commands to a store that does not reply. Each waits for its time limit, and remains in the memory of the client until
 * the connection is closed. Clients close it after some time without traffic, which includes commands.
 */
export class SilenceMonitor {
  readonly #timeouts = new Map<number, number>();
  /** For all groups together. */
  readonly #gate = new RetryGate({ now: () => performance.now() }, RETRIES);

  /** @param group of commands to the same server. A store with one server has one group */
  allowsCommand(group = 0): boolean {
    if (!this.#isSilent(group)) return true;
    if (this.#gate.retryAt !== undefined) return false;
    this.#gate.startRetry();
    return true;
  }

  /** Counts a reply, however late. */
  recordReply(group = 0): void {
    // The server of one group replies again, so that of the others probably does too.
    if (this.#isSilent(group)) this.reset();
    else this.#timeouts.delete(group);
  }

  recordTimeout(group = 0): void {
    const count = (this.#timeouts.get(group) ?? 0) + 1;
    this.#timeouts.set(group, count);
    if (count === MAX_TIMEOUTS) this.#gate.startRetry();
  }

  reset(): void {
    this.#timeouts.clear();
  }

  #isSilent(group: number): boolean {
    return (this.#timeouts.get(group) ?? 0) >= MAX_TIMEOUTS;
  }
}
