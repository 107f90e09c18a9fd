import { RetryGate } from '../async/retry-gate.js';
import { withTimeout } from '../async/with-timeout.js';
import { type Database, isTimeout, storeError, unavailable } from './store-errors.js';

/** If this many commands of a group in succession get no reply, only one command of all such groups is sent per interval. */
const MAX_TIMEOUTS = 5;
/** The interval is longer than the time after which clients usually close a connection without traffic. */
const RETRIES = { maxFailures: 0, minMs: 5_000, maxMs: 5_000 };

/**
 * Waits for the replies of a database, and limits the commands to one that does not reply. Each waits for its time limit, and
 * remains in the memory of the client until the connection is closed. Clients close it after some time without traffic, which
 * includes commands.
 *
 * The commands to one server are a group, by its number: a store with one server has group 0.
 */
export class ServerReplies {
  readonly #database: Database;
  readonly #timeouts = new Map<number, number>();
  /** For all groups together. */
  readonly #gate = new RetryGate({ now: () => performance.now() }, RETRIES);

  constructor(database: Database) {
    this.#database = database;
  }

  /** @throws ServiceUnavailableError if the server has not replied to the last commands, and it is too early for another one */
  assertResponsive(group = 0): void {
    if (!this.#isSilent(group)) return;
    if (this.#gate.retryAt !== undefined) throw unavailable(`${this.#database.name} does not respond.`);
    this.#gate.startRetry();
  }

  /** @returns the reply, or rejects with the error of the store, at the latest after the time limit. */
  async wait<T>(timeoutMs: number, reply: Promise<T>, group = 0): Promise<T> {
    // Counts a reply however late.
    const counted = reply.then((value) => {
      this.#recordReply(group);
      return value;
    });
    try {
      return await withTimeout(timeoutMs, counted);
    } catch (error) {
      if (isTimeout(this.#database, error)) this.#recordTimeout(group);
      else if (this.#database.codeOf(error) !== undefined) this.#recordReply(group);
      throw storeError(this.#database, error);
    }
  }

  reset(): void {
    this.#timeouts.clear();
  }

  #recordReply(group: number): void {
    // The server of one group replies again, so that of the others probably does too.
    if (this.#isSilent(group)) this.reset();
    else this.#timeouts.delete(group);
  }

  #recordTimeout(group: number): void {
    const count = (this.#timeouts.get(group) ?? 0) + 1;
    this.#timeouts.set(group, count);
    if (count === MAX_TIMEOUTS) this.#gate.startRetry();
  }

  #isSilent(group: number): boolean {
    return (this.#timeouts.get(group) ?? 0) >= MAX_TIMEOUTS;
  }
}
