import type { Cookies } from '../http/cookies.js';
import { randomToken } from '../http/random.js';
import type { MockRequest } from '../http/request.js';
import type { Account } from '../state/account.js';
import type { Session, SessionStore } from '../state/sessions.js';

/** Reads, starts and ends the session of the browser that sent a request. */
export interface BrowserSessions {
  /** @param cookie `inbox` for paths of the inbox, which are not below /oauth. */
  current(http: MockRequest, cookie?: 'session' | 'inbox'): Session | undefined;
  /** Starts a new session, never one that the browser sent, and ends the one before. */
  start(http: MockRequest, account: Account): { id: string; session: Session; cookies: string[] };
  /** Ends the session and changes the browser state. @returns the cookies to set */
  end(http: MockRequest): string[];
  /** @returns the same cookies for a browser whose session has ended without it, so that its session check replies `changed` */
  cookiesOfEnded(http: MockRequest): string[];
}

interface Dependencies {
  readonly sessions: SessionStore;
  readonly cookies: Cookies;
}

export function createBrowserSessions({ sessions, cookies }: Dependencies): BrowserSessions {
  function end(http: MockRequest): string[] {
    sessions.end(cookies.read(http, 'session'));
    return [cookies.set('session', ''), cookies.set('browser_state', randomToken())];
  }

  return {
    end,
    cookiesOfEnded(http) {
      const id = cookies.read(http, 'session');
      return id === undefined || sessions.get(id) !== undefined ? [] : end(http);
    },
    current: (http, cookie = 'session') => sessions.get(cookies.read(http, cookie)),
    start(http, account) {
      sessions.end(cookies.read(http, 'session'));
      const { id, session } = sessions.start(account);
      const set = [cookies.set('session', id), cookies.set('browser_state', session.browserState)];
      return { id, session, cookies: set };
    },
  };
}
