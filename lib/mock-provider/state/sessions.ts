import { digest } from '../http/digest.js';
import type { Account } from './account.js';
import type { MockClock } from './clock.js';
import { ExpiringMap } from './expiring-map.js';
import { randomToken } from './random.js';

/** Somebody signed in at the provider, in one browser. */
export interface Session {
  readonly account: Account;
  /** When the password was given, in milliseconds. */
  readonly authTime: number;
  /** The browser state behind session_state; no user data in it (decision 69). */
  readonly browserState: string;
  /** The codes that were issued in it, when logout is to revoke what they gave (decision 81). */
  readonly codes: string[];
}

export class SessionStore {
  readonly #clock: MockClock;
  readonly #sessions: ExpiringMap<Session>;

  constructor(clock: MockClock, lifetime: number) {
    this.#clock = clock;
    this.#sessions = new ExpiringMap(clock, lifetime);
  }

  /** @returns the cookie's value of a new session: never one that a browser brought along. */
  start(account: Account): { id: string; session: Session } {
    const id = randomToken();
    const session = { account, authTime: this.#clock.now(), browserState: randomToken(), codes: [] };
    this.#sessions.set(digest(id), session);
    return { id, session };
  }

  get(id: string | undefined): Session | undefined {
    return id === undefined ? undefined : this.#sessions.get(digest(id));
  }

  /** @returns the sessions that are open now, the newest first. */
  open(): Iterable<Session> {
    return this.#sessions.values();
  }

  end(id: string | undefined): void {
    if (id !== undefined) this.#sessions.delete(digest(id));
  }

  /** Signs somebody out in every browser. @returns how many sessions ended */
  endAllOf(username: string): number {
    return this.#sessions.deleteWhere(({ account }) => account.username === username);
  }

  sweep(): void {
    this.#sessions.sweep();
  }

  clear(): void {
    this.#sessions.clear();
  }
}
