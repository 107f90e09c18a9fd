import { withTimeout } from '../with-timeout.js';

/** Describes the members of a request that express-session adds for its store. */
export interface StoredSession {
  sessionID?: string | undefined;
  sessionStore?: { destroy(sessionID: string, done: (error?: unknown) => void): void } | undefined;
}

/** Deletes sessions from the session store of the site. @internal */
export interface SiteSessionStore {
  /** Uses the store that express-session has set on this request. */
  observe(req: StoredSession): void;
  /** Deletes a session. Rejects when the store fails, and in a process that has received no request yet. */
  destroy(sessionID: string): Promise<void>;
}

const TIMEOUT_MS = 2000;

export function createSiteSessionStore(): SiteSessionStore {
  let store: StoredSession['sessionStore'];

  return {
    observe(req) {
      store = req.sessionStore ?? store;
    },
    destroy(sessionID) {
      const destroyed = new Promise<void>((resolve, reject) => {
        if (store) store.destroy(sessionID, (error) => (error ? reject(error) : resolve()));
        else reject(new Error('no request has been received yet'));
      });
      return withTimeout(TIMEOUT_MS, destroyed);
    },
  };
}
