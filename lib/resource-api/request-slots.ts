import type { Clock } from '../async/clock.js';
import { ServiceUnavailableError } from '../errors/errors.js';

interface UserSlots {
  pending: number;
  /** Starts the next requests, in the order of their calls. */
  readonly waiting: Set<() => void>;
}

/** The number of requests of the application that wait for a response at the same time. */
const MAX_PENDING = 256;
/** The same for one user: a few users cannot take all. Unknown users, whose sign-in is not finished, have no limit of their own. */
const MAX_PENDING_OF_USER = 16;
/** The number of further requests of one user that wait for one of these to end. */
const MAX_WAITING_OF_USER = 256;
const RETRY_AFTER_MS = 1_000;

/** Limits how many requests wait for a response at the same time. */
export class RequestSlots {
  readonly #clock: Clock;
  readonly #users = new Map<string, UserSlots>();
  #pending = 0;

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /**
   * Sends a request of a user when fewer than 16 of this user are sent.
   * @param signal ends the wait
   * @throws ServiceUnavailableError `too_many_requests_at_once`
   */
  async run<T>(userID: string, send: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#take(userID, signal);
    try {
      return await send();
    } finally {
      this.#release(userID);
    }
  }

  async #take(userID: string, signal: AbortSignal | undefined): Promise<void> {
    const user = this.#users.get(userID) ?? { pending: 0, waiting: new Set() };
    const isBusy = userID !== '' && user.pending >= MAX_PENDING_OF_USER;
    const isFull = isBusy ? user.waiting.size >= MAX_WAITING_OF_USER : this.#pending >= MAX_PENDING;
    if (isFull) throw tooManyAtOnce(this.#clock.now() + RETRY_AFTER_MS);
    if (isBusy) return await nextTurn(user.waiting, signal);
    this.#users.set(userID, user);
    user.pending += 1;
    this.#pending += 1;
  }

  /** Passes the slot to the next request of the user. */
  #release(userID: string): void {
    const user = this.#users.get(userID) as UserSlots;
    const [start] = user.waiting;
    if (start) {
      start();
      return;
    }
    user.pending -= 1;
    this.#pending -= 1;
    if (user.pending === 0) this.#users.delete(userID);
  }
}

function nextTurn(waiting: Set<() => void>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = () => {
      waiting.delete(start);
      signal?.removeEventListener('abort', abort);
    };
    const start = () => {
      end();
      resolve();
    };
    const abort = () => {
      end();
      reject(signal?.reason);
    };
    waiting.add(start);
    signal?.addEventListener('abort', abort, { once: true });
  });
}

/** @returns the error for a request that is not sent because of other requests of this process, although calls are left. */
export function tooManyAtOnce(retryAt: number): ServiceUnavailableError {
  const message =
    'Too many calls of the resource API are waiting in this process. Send fewer at once, or retry later; in a test, move the clock.';
  return new ServiceUnavailableError('too_many_requests_at_once', message, { retryAt });
}
