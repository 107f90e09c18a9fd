import { type OptionRule, objectWith } from '../options/option-table.js';
import { randomText } from '../random.js';
import { withTimeout } from '../with-timeout.js';

/** Describes the part of a session store of express-session that this package uses. */
export interface SessionStore {
  get(sessionID: string, done: (error: unknown, session?: StoredLogins | null) => void): void;
  set(sessionID: string, session: never, done?: (error?: unknown) => void): void;
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

/** Describes the part of a login in a session that concerns its store. @internal */
export interface StoredLogin {
  grantID: string;
  /** The site's own id of the user. */
  userKey: string;
  /** When it was last used, with the precision of {@link LoginLifetime}, in milliseconds since the Unix epoch. */
  usedAt?: number;
  /** Identifies the write of the session: see {@link SiteSessionStore}. Absent in a session of an earlier version. */
  writeID?: string;
}

type Logins = Record<string, StoredLogin>;

/** Receives a session after it was written with a login. */
type WriteListener = (sessionID: string, login: StoredLogin) => void;

/** Describes the members of a request that express-session adds for its store. */
export interface StoredSession {
  sessionID?: string | undefined;
  sessionStore?: SessionStore | undefined;
}

/**
 * Observes and changes the session store of the site. A store has no atomic change: any write of a session, of express-session at the
 * end of a slow request too, can restore one that a sign-out has deleted meanwhile. So each write of a login gets an id, which every
 * process that reads the session compares: see docs/decisions/0036. @internal
 */
export interface SiteSessionStore {
  /** Uses the store that express-session has set on this request, and observes its writes. */
  observe(req: StoredSession): void;
  /** Adds a listener for the sessions with a login that this process has written, for whatever reason. */
  onWrite(listener: WriteListener): void;
  /** @returns the id of the write that has stored this login: as it was read, or written since in the same request. */
  writeIDOf(login: StoredLogin): string | undefined;
  /**
   * Deletes a session that contains this login, except for the logins of other instances in it. Rejects when the store fails, and
   * while it is unknown.
   */
  remove(sessionID: string, grantID: string): Promise<void>;
  /**
   * Writes when a login was last used into the stored session, if that still has the login. Other data is as it is stored now: the
   * request that used the login may have read it long before. Rejects as {@link remove} does.
   */
  recordUse(sessionID: string, login: { grantID: string; usedAt: number }): Promise<void>;
}

const TIMEOUT_MS = 2000;
const WRITE_ID_BYTES = 9;

/**
 * @param instance see `instanceID()`
 * @param configured the store, for a process that deletes sessions before it receives a request
 */
export function createSiteSessionStore(instance: string, configured?: SessionStore): SiteSessionStore {
  let store: SessionStore | undefined;
  const observed = new WeakSet<SessionStore>();
  const listeners: WriteListener[] = [];
  /** The logins that this process has written, as its requests have them. */
  const writes = new WeakMap<StoredLogin, string>();

  const loginIn = (session: StoredLogins | null | undefined) => (session?.clinician as Logins | undefined)?.[instance];

  /** Returns the same session, with the id of this write. The request keeps its own: express-session compares it with the stored one. */
  function withWriteID<S extends StoredLogins>(session: S, login: StoredLogin, writeID: string): S {
    const copy: S = Object.create(Object.getPrototypeOf(session), Object.getOwnPropertyDescriptors(session));
    return Object.assign(copy, { clinician: { ...session.clinician, [instance]: { ...login, writeID } } });
  }

  /** Replaces the method `set` of the store: express-session calls it at the end of a request, and the site at any time. */
  function use(known: SessionStore | undefined): void {
    if (known === undefined || known === store) return;
    store = known;
    if (observed.has(known)) return;
    observed.add(known);
    const { set } = known;
    known.set = (sessionID, session: StoredLogins, done) => {
      const login = loginIn(session);
      if (!login) return set.call(known, sessionID, session as never, done);
      const writeID = randomText(WRITE_ID_BYTES);
      return set.call(known, sessionID, withWriteID(session, login, writeID) as never, (error) => {
        // Only now: a look-up of the tokens shows that they were stored after this write.
        if (!error) {
          writes.set(login, writeID);
          for (const listener of listeners) listener(sessionID, login);
        }
        done?.(error);
      });
    };
  }
  use(configured);

  function knownStore(): SessionStore {
    if (!store) throw new Error('no request has been received yet, and option sessionStore is missing');
    return store;
  }

  const read = (known: SessionStore, sessionID: string) =>
    callStore<StoredLogins | null | undefined>((done) => known.get(sessionID, done));

  async function remove(sessionID: string, grantID: string): Promise<void> {
    const known = knownStore();
    const session = await read(known, sessionID);
    if (!session || loginIn(session)?.grantID !== grantID) return;
    const { cookie, clinician, passport } = session;
    const { [instance]: _, ...others } = clinician as Logins;
    if (Object.keys(others).length > 0) {
      const remaining = { cookie, clinician: others, ...(passport && { passport }) };
      await callStore((done) => known.set(sessionID, remaining as never, done));
    } else await callStore((done) => known.destroy(sessionID, done));
  }

  async function recordUse(sessionID: string, { grantID, usedAt }: { grantID: string; usedAt: number }): Promise<void> {
    const known = knownStore();
    const session = await read(known, sessionID);
    const login = loginIn(session);
    if (login?.grantID !== grantID) return;
    login.usedAt = usedAt;
    await callStore((done) => known.set(sessionID, session as never, done));
  }

  return {
    observe: (req) => use(req.sessionStore),
    onWrite: (listener) => void listeners.push(listener),
    writeIDOf: (login) => writes.get(login) ?? login.writeID,
    remove: (sessionID, grantID) => withTimeout(TIMEOUT_MS, remove(sessionID, grantID)),
    recordUse: (sessionID, login) => withTimeout(TIMEOUT_MS, recordUse(sessionID, login)),
  };
}

function callStore<T>(call: (done: (error?: unknown, result?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result as T)));
  });
}
