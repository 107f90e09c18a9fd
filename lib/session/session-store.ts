import { withTimeout } from '../with-timeout.js';
import type { SessionRequest } from './site-session.js';

/** Deletes sessions from the session store of the site. @internal */
export interface SiteSessionStore {
  /** Uses the store that express-session has set on this request. */
  observe(req: SessionRequest): void;
  /** Deletes a session. Rejects when the store fails, and in a process that has received no request yet. */
  destroy(sessionID: string): Promise<void>;
}

const TIMEOUT_MS = 2000;

export function createSiteSessionStore(): SiteSessionStore {
  let store: SessionRequest['sessionStore'];

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
