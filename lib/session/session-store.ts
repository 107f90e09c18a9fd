import { type OptionRule, objectWith } from '../options/option-table.js';
import { withTimeout } from '../with-timeout.js';

/** Describes the part of a session store of express-session that this package uses. */
export interface SessionStore {
  get(sessionID: string, done: (error: unknown, session?: StoredLogins | null) => void): void;
  set(sessionID: string, session: never, done: (error?: unknown) => void): void;
  destroy(sessionID: string, done: (error?: unknown) => void): void;
}

/** Checks option `sessionStore`. */
export const sessionStoreRule: OptionRule<SessionStore> = objectWith<SessionStore>(
  ['get', 'set', 'destroy'],
  'a session store of express-session',
  'Pass the store that session({ store }) has.',
);

/** Describes the part of a stored session that this package reads. */
interface StoredLogins {
  cookie: object;
  clinician?: object;
  passport?: object;
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
  /**
   * Deletes a session, except for the logins of other instances in it. Rejects when the store fails, and while it is unknown.
   */
  destroy(sessionID: string): Promise<void>;
  /**
   * Writes when a login was last used into the stored session, if that still has the login. Other data is as it is stored now: the
   * request that used the login may have read it long before. Rejects as {@link destroy} does.
   */
  recordUse(sessionID: string, login: { grantID: string; usedAt: number }): Promise<void>;
}

const TIMEOUT_MS = 2000;

/**
 * @param instance see `instanceID()`
 * @param configured the store, for a process that deletes sessions before it receives a request
 */
export function createSiteSessionStore(instance: string, configured?: SessionStore): SiteSessionStore {
  let store = configured;

  function knownStore(): SessionStore {
    if (!store) throw new Error('no request has been received yet, and option sessionStore is missing');
    return store;
  }

  const read = (known: SessionStore, sessionID: string) =>
    callStore<StoredLogins | null | undefined>((done) => known.get(sessionID, done));

  async function destroy(sessionID: string): Promise<void> {
    const known = knownStore();
    const session = await read(known, sessionID);
    const { [instance]: _, ...others } = { ...session?.clinician } as Record<string, unknown>;
    if (session && Object.keys(others).length > 0) {
      const { cookie, passport } = session;
      const remaining = { cookie, clinician: others, ...(passport && { passport }) };
      await callStore((done) => known.set(sessionID, remaining as never, done));
    } else await callStore((done) => known.destroy(sessionID, done));
  }

  async function recordUse(sessionID: string, { grantID, usedAt }: { grantID: string; usedAt: number }): Promise<void> {
    const known = knownStore();
    const session = await read(known, sessionID);
    const login = (session?.clinician as Record<string, { grantID?: string; usedAt?: number }> | undefined)?.[instance];
    if (login?.grantID !== grantID) return;
    login.usedAt = usedAt;
    await callStore((done) => known.set(sessionID, session as never, done));
  }

  return {
    observe(req) {
      store = req.sessionStore ?? store;
    },
    destroy: (sessionID) => withTimeout(TIMEOUT_MS, destroy(sessionID)),
    recordUse: (sessionID, login) => withTimeout(TIMEOUT_MS, recordUse(sessionID, login)),
  };
}

function callStore<T>(call: (done: (error?: unknown, result?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result as T)));
  });
}
