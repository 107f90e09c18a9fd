import { withTimeout } from '../async/with-timeout.js';

/** The part of a session store of express-session that this package uses. */
export interface SessionStore {
  destroy(sessionID: string, done: (error?: unknown) => void): void;
}

/** The members of a request that express-session adds for its store. */
export interface StoredSession {
  sessionID?: string | undefined;
  sessionStore?: SessionStore | undefined;
}

const TIMEOUT_MS = 2000;

/** The session store of the site, as express-session has set it on a request. @internal */
export class SiteSessionStore {
  #store: SessionStore | undefined;

  /** Uses the store of this request. */
  observe({ sessionStore }: StoredSession): void {
    this.#store = sessionStore ?? this.#store;
  }

  /** Deletes a session with all its data. Rejects when the store fails, and while it is unknown. */
  remove(sessionID: string): Promise<void> {
    const remove = async () => {
      const store = this.#store;
      if (!store) throw new Error('no request has been received yet');
      await new Promise<void>((resolve, reject) => {
        store.destroy(sessionID, (error) => (error ? reject(error) : resolve()));
      });
    };
    return withTimeout(TIMEOUT_MS, remove());
  }
}
