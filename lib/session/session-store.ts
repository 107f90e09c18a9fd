import { withTimeout } from '../async/with-timeout.js';
import { type OptionRule, objectWith } from '../options/option-table.js';
import { randomText } from '../sealing/secret.js';

/** The part of a session store of express-session that this package uses. */
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

/** The part of a stored session that this package reads. */
interface StoredLogins {
  cookie: object;
  clinician?: object;
  passport?: object;
}

/** The part of a login in a session that concerns its store. @internal */
export interface StoredLogin {
  grantID: string;
  /** The service's id of the user. */
  id: string;
  /** The site's own id of the user. Absent if it is the service's. */
  userKey?: string;
  /** When it was last used, with the precision of {@link Logins.recordUse}, in milliseconds since the Unix epoch. */
  usedAt?: number;
  /** Identifies the write of the session: see {@link SiteSessionStore}. Absent in a session of an earlier version. */
  writeID?: string;
}

/** @returns the site's own id of the user. */
export function userIDOf({ id, userKey = id }: Pick<StoredLogin, 'id' | 'userKey'>): string {
  return userKey;
}

type Done = (error?: unknown) => void;

/** Receives a session after it was written with a login. */
type WriteListener = (sessionID: string, login: StoredLogin) => void;

/** The members of a request that express-session adds for its store. */
export interface StoredSession {
  sessionID?: string | undefined;
  sessionStore?: SessionStore | undefined;
}

const TIMEOUT_MS = 2000;
const WRITE_ID_BYTES = 9;

/** The contents of sessions that were saved before the end of their response. */
const savedContents = new WeakMap<object, string>();

/**
 * Marks a session that was just saved. express-session saves a renewed session again at the end of the response, although it was
 * saved: that write is omitted if the session is unchanged, so that no process looks the login up again.
 */
export function markSaved(session: object): void {
  savedContents.set(session, contentOf(session));
}

function isSaved(session: object): boolean {
  const saved = savedContents.get(session);
  if (saved !== undefined && saved === contentOf(session)) return true;
  savedContents.delete(session);
  return false;
}

/** Without the expiry, which express-session moves forward by the time of the response. */
function contentOf(session: object): string {
  const { cookie, ...content } = session as { cookie?: { toJSON?(): object } };
  const { expires: _, originalMaxAge, ...attributes } = Object(cookie?.toJSON?.() ?? cookie);
  return JSON.stringify([content, attributes, Math.round(originalMaxAge / 1000)]);
}

/**
 * Observes and changes the session store of the site. A store has no atomic change: any write of a session, of express-session at the
 * end of a slow request too, can restore one that a sign-out has deleted meanwhile. So each write of a login gets an id, which every
 * process that reads the session compares: see docs/project/decisions/0036. @internal
 */
export class SiteSessionStore {
  readonly #instance: string;
  #store: SessionStore | undefined;
  readonly #observed = new WeakSet<SessionStore>();
  readonly #listeners: WriteListener[] = [];
  /** The logins that this process has written, as its requests have them. */
  readonly #writes = new WeakMap<StoredLogin, string>();

  /**
   * @param instance see `instanceID()`
   * @param store the store, for a process that deletes sessions before it receives a request
   */
  constructor(instance: string, store?: SessionStore) {
    this.#instance = instance;
    this.observe({ sessionStore: store });
  }

  /** Uses the store that express-session has set on this request, and observes its writes. */
  observe({ sessionStore: store }: StoredSession): void {
    if (store === undefined || store === this.#store) return;
    this.#store = store;
    if (this.#observed.has(store)) return;
    this.#observed.add(store);
    const { set } = store;
    // express-session calls it at the end of a request, and the site at any time.
    store.set = (sessionID, session: StoredLogins, done) => {
      // Some stores return a promise, which a site may wait for.
      if (!isSaved(session)) return this.#write(store, set, sessionID, session, done);
      process.nextTick(() => done?.());
      return undefined;
    };
  }

  /** Adds a listener for the sessions with a login that this process has written, for whatever reason. */
  onWrite(listener: WriteListener): void {
    this.#listeners.push(listener);
  }

  /** @returns the id of the write that has stored this login: as it was read, or written since in the same request. */
  writeIDOf(login: StoredLogin): string | undefined {
    return this.#writes.get(login) ?? login.writeID;
  }

  /**
   * Deletes a session that contains this login, except for the logins of other instances in it. Rejects when the store fails, and
   * while it is unknown.
   */
  remove(sessionID: string, grantID: string): Promise<void> {
    return this.#change(sessionID, grantID, (store, { cookie, clinician, passport }, done) => {
      const { [this.#instance]: _, ...others } = clinician as Record<string, StoredLogin>;
      if (Object.keys(others).length === 0) return store.destroy(sessionID, done);
      const remaining = { cookie, clinician: others, ...(passport && { passport }) };
      store.set(sessionID, remaining as never, done);
    });
  }

  /**
   * Writes when a login was last used into the stored session, if that still has the login. Other data is as it is stored now: the
   * request that used the login may have read it long before. Rejects as {@link remove} does.
   */
  recordUse(sessionID: string, { grantID, usedAt }: { grantID: string; usedAt: number }): Promise<void> {
    return this.#change(sessionID, grantID, (store, session, done) => {
      Object.assign(this.#loginIn(session) as StoredLogin, { usedAt });
      store.set(sessionID, session as never, done);
    });
  }

  /** Reads a session again, and changes it if it has this login. */
  #change(
    sessionID: string,
    grantID: string,
    change: (store: SessionStore, session: StoredLogins, done: Done) => void,
  ): Promise<void> {
    const run = async () => {
      const store = this.#store;
      if (!store) throw new Error('no request has been received yet, and option sessionStore is missing');
      const session = await callStore<StoredLogins | null | undefined>((done) => store.get(sessionID, done));
      if (session && this.#loginIn(session)?.grantID === grantID) {
        await callStore((done) => change(store, session, done));
      }
    };
    return withTimeout(TIMEOUT_MS, run());
  }

  #write(
    store: SessionStore,
    set: SessionStore['set'],
    sessionID: string,
    session: StoredLogins,
    done?: Done,
  ): unknown {
    const login = this.#loginIn(session);
    if (!login) return set.call(store, sessionID, session as never, done);
    const writeID = randomText(WRITE_ID_BYTES);
    return set.call(store, sessionID, this.#withWriteID(session, login, writeID) as never, (error) => {
      // Only now: a look-up of the tokens shows that they were stored after this write.
      if (!error) {
        this.#writes.set(login, writeID);
        for (const listener of this.#listeners) listener(sessionID, login);
      }
      done?.(error);
    });
  }

  /** Returns the same session, with the id of this write. The request keeps its own: express-session compares it with the stored one. */
  #withWriteID<S extends StoredLogins>(session: S, login: StoredLogin, writeID: string): S {
    const copy: S = Object.create(Object.getPrototypeOf(session), Object.getOwnPropertyDescriptors(session));
    return Object.assign(copy, { clinician: { ...session.clinician, [this.#instance]: { ...login, writeID } } });
  }

  #loginIn(session: StoredLogins | null | undefined): StoredLogin | undefined {
    return (session?.clinician as Record<string, StoredLogin> | undefined)?.[this.#instance];
  }
}

function callStore<T>(call: (done: (error?: unknown, result?: T) => void) => void): Promise<T> {
  return new Promise((resolve, reject) => {
    call((error, result) => (error ? reject(error) : resolve(result as T)));
  });
}
