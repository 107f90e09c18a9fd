import { withTimeout } from '../with-timeout.js';

/** Describes the part of a session store of express-session that this package uses. */
export interface SessionStore {
  destroy(sessionID: string, done: (error?: unknown) => void): void;
}

/** Describes the members of a request that express-session adds for its store. */
export interface StoredSession {
  sessionID?: string | undefined;
  sessionStore?: SessionStore | undefined;
}

/** Deletes sessions from the session store of the site. @internal */
export interface SiteSessionStore {
  /** Uses the store that express-session has set on this request. */
  observe(req: StoredSession): void;
  /** Deletes a session. Rejects when the store fails, and while it is unknown. */
  destroy(sessionID: string): Promise<void>;
}

const TIMEOUT_MS = 2000;

/** @param configured the store, for a process that deletes sessions before it receives a request */
export function createSiteSessionStore(configured?: SessionStore): SiteSessionStore {
  let store = configured;

  return {
    observe(req) {
      store = req.sessionStore ?? store;
    },
    destroy(sessionID) {
      const destroyed = new Promise<void>((resolve, reject) => {
        if (store) store.destroy(sessionID, (error) => (error ? reject(error) : resolve()));
        else reject(new Error('no request has been received yet, and option sessionStore is missing'));
      });
      return withTimeout(TIMEOUT_MS, destroyed);
    },
  };
}
