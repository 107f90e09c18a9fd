import type { Cookies } from '../http/cookies.js';
import { randomToken } from '../http/random.js';
import type { MockRequest } from '../http/request.js';
import type { Account } from '../state/account.js';
import type { Session, SessionStore } from '../state/sessions.js';

/** Reads, starts and ends the session of the browser that sent a request. */
export class BrowserSessions {
  readonly #sessions: SessionStore;
  readonly #cookies: Cookies;

  constructor({ sessions, cookies }: { sessions: SessionStore; cookies: Cookies }) {
    this.#sessions = sessions;
    this.#cookies = cookies;
  }

  /** @param cookie `inbox` for paths of the inbox, which are not below /oauth. */
  current(http: MockRequest, cookie: 'session' | 'inbox' = 'session'): Session | undefined {
    return this.#sessions.get(this.#cookies.read(http, cookie));
  }

  /** Starts a new session, never one that the browser sent, and ends the one before. */
  start(http: MockRequest, account: Account): { id: string; session: Session; cookies: string[] } {
    const cookies = this.#cookies;
    this.#sessions.end(cookies.read(http, 'session'));
    const { id, session } = this.#sessions.start(account);
    const set = [cookies.set('session', id), cookies.set('browser_state', session.browserState)];
    return { id, session, cookies: set };
  }

  /** Ends the session and changes the browser state. @returns the cookies to set */
  end(http: MockRequest): string[] {
    this.#sessions.end(this.#cookies.read(http, 'session'));
    return [this.#cookies.set('session', ''), this.#cookies.set('browser_state', randomToken())];
  }

  /** @returns the same cookies for a browser whose session has ended without it, so that its session check replies `changed` */
  cookiesOfEnded(http: MockRequest): string[] {
    const hasEnded = this.#cookies.read(http, 'session') !== undefined && this.current(http) === undefined;
    return hasEnded ? this.end(http) : [];
  }
}
