import { digest } from '../http/digest.js';
import { randomToken } from '../http/random.js';
import type { Account } from './account.js';
import { type Expiring, ExpiringMap } from './expiring-map.js';
import type { Authorization } from './grants.js';

/** The session of a user at the provider, in one browser. */
export interface Session extends Expiring {
  readonly account: Account;
  /** When the password was entered, in milliseconds since the epoch. */
  readonly authTime: number;
  /** The random input of session_state. */
  readonly browserState: string;
  /** The last one, which the next grant shares if it is for the same client and scope. */
  authorization: Authorization | undefined;
}

export class SessionStore extends ExpiringMap<Session> {
  /** Starts a session with a new id, never one that a browser sent. */
  start(account: Account): { id: string; session: Session } {
    const id = randomToken();
    const session: Session = {
      account,
      authTime: this.clock.now(),
      browserState: randomToken(),
      authorization: undefined,
    };
    this.set(digest(id), session);
    return { id, session };
  }

  byID(id: string | undefined): Session | undefined {
    return id === undefined ? undefined : this.get(digest(id));
  }

  end(id: string | undefined): void {
    if (id !== undefined) this.delete(digest(id));
  }

  /** Signs a user out in every browser. @returns the number of ended sessions */
  endAllOf(username: string): number {
    return this.deleteWhere(({ account }) => account.username === username);
  }
}
