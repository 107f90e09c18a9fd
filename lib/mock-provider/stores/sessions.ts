import type { MockClock } from '../clock.js';
import { digest } from '../digest.js';
import { randomToken } from '../random.js';
import type { Account } from './account.js';
import { ExpiringMap } from './expiring-map.js';

/** Somebody signed in at the provider, in one browser. */
export interface Session {
  readonly account: Account;
  /** When the password was given, in milliseconds. */
  readonly authTime: number;
  /** The browser state behind session_state; no user data in it (decision 69). */
  readonly browserState: string;
}

export class SessionStore {
  readonly #clock: MockClock;
  readonly #lifetime: number;
  readonly #sessions: ExpiringMap<Session>;

  constructor(clock: MockClock, lifetime: number) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.#sessions = new ExpiringMap(clock);
  }

  /** @returns the cookie's value of a new session: never one that a browser brought along. */
  start(account: Account): { id: string; session: Session } {
    const id = randomToken();
    const session = { account, authTime: this.#clock.now(), browserState: randomToken() };
    this.#sessions.set(digest(id), session, session.authTime + this.#lifetime);
    return { id, session };
  }

  get(id: string | undefined): Session | undefined {
    return id === undefined ? undefined : this.#sessions.get(digest(id));
  }

  end(id: string | undefined): void {
    if (id !== undefined) this.#sessions.delete(digest(id));
  }

  sweep(): void {
    this.#sessions.sweep();
  }

  clear(): void {
    this.#sessions.clear();
  }
}
