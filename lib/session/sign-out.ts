import { inTurns, type PendingWork } from '../async/work.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Events } from '../events/events.js';
import { MAX_LISTED } from '../token-vault/token-store.js';
import { type SessionLogin, userIDOf } from './logins.js';
import type { SiteSession } from './site-session.js';
import type { Tokens } from './tokens.js';
import type { Visit } from './visit.js';

interface SignOutOptions {
  session: Pick<SiteSession, 'destroy' | 'end'>;
  tokens: Pick<Tokens, 'endUser' | 'erase' | 'records'>;
  events: Events;
  work: Pick<PendingWork, 'track'>;
}

const MAX_LOGINS = 50;
const MAX_LISTS = 100;

/** Ends logins: their tokens, and the sessions that contain them. @internal */
export class SignOut {
  readonly #session;
  readonly #tokens;
  readonly #events;
  readonly #work;

  constructor({ session, tokens, events, work }: SignOutOptions) {
    this.#session = session;
    this.#tokens = tokens;
    this.#events = events;
    this.#work = work;
  }

  /**
   * Revokes and erases a login that no session contains any more. Never throws.
   * @param sessionID the session that contained it. It is deleted if another request has saved it again before the erasure
   */
  async discard(login: SessionLogin, sessionID?: string): Promise<void> {
    await this.#eraseLogin(login);
    // A session that cannot be deleted is replaced at its next request.
    if (sessionID !== undefined) await this.#session.destroy(sessionID).catch(() => undefined);
  }

  /** Revokes and erases the login of this session, and ends the session. @returns its tokens, for {@link ServiceLogout.start} */
  async endLoginOf(visit: Visit): Promise<TokenSet | undefined> {
    const login = loginIn(visit);
    const ended = login && (await this.#eraseLogin(login));
    await this.#session.end(visit.req);
    if (login) this.#events.emit('signed_out', { userID: userIDOf(login) });
    return ended;
  }

  async forgetUserOf(visit: Visit): Promise<void> {
    const login = loginIn(visit);
    if (login) await this.forget(userIDOf(login));
    await this.#session.end(visit.req);
  }

  /**
   * Erases and revokes everything of one user, and deletes the sessions that contain the logins. No id of the user remains in this
   * process.
   */
  async forget(userID: string): Promise<void> {
    // While the token store is unavailable, the logins end in this process only.
    this.#tokens.endUser(userID);
    const logins = await this.#work.track(this.#endLogins(userID));
    this.#events.emit('forgotten', { userID, logins });
    this.#tokens.endUser(userID);
  }

  /** Ends the logins of one user except one, with their sessions. @returns how many it has ended */
  async endOthers(userID: string, grantID: string): Promise<number> {
    const logins = await this.#work.track(this.#endLogins(userID, grantID));
    this.#events.emit('signed_out', { userID, logins });
    return logins;
  }

  /** Ends the logins of a user above the limit, the oldest first, with their sessions. Never throws. */
  limit(userID: string): Promise<void> {
    return this.#work.track(this.#limit(userID));
  }

  async #limit(userID: string): Promise<void> {
    const { records } = this.#tokens;
    try {
      const grantIDs = await records.store.grantsOf(userID);
      if (grantIDs.length <= MAX_LOGINS) return;
      const grants = await inTurns(grantIDs, (grantID) => records.find(grantID));
      // Records that cannot be read do not count: they may be of another site.
      const readable = grants.flatMap((grant) => grant?.id ?? []);
      const excess = readable.slice(0, Math.max(0, readable.length - MAX_LOGINS));
      await inTurns(excess, (grantID) => this.#endLogin(grantID, userID));
    } catch {
      this.#events.report('erasure_failed', { userID, code: 'erasure_failed' });
    }
  }

  /** @param grantID the login that remains @returns how many of the logins were stored */
  async #endLogins(userID: string, grantID?: string): Promise<number> {
    const seen = new Set([grantID]);
    let count = 0;
    for (let lists = 0; lists < MAX_LISTS; lists += 1) {
      const listed = await this.#tokens.records.store.grantsOf(userID);
      const grantIDs = listed.filter((id) => !seen.has(id));
      for (const id of grantIDs) seen.add(id);
      const ended = await inTurns(grantIDs, (id) => this.#endLogin(id, userID));
      count += ended.filter((isStored) => isStored).length;
      // A list with the maximum length may not have all.
      if (listed.length < MAX_LISTED || grantIDs.length === 0) break;
    }
    return count;
  }

  /**
   * Erases and revokes one login, and then deletes its session: one that is written after that has no tokens. A session store that
   * fails keeps no tokens: the login ends with them. @returns true if the login was stored
   */
  async #endLogin(grantID: string, userID: string): Promise<boolean> {
    const grant = await this.#tokens.erase(grantID, userID);
    const { sessionID } = grant ?? {};
    if (sessionID !== undefined) {
      await this.#session
        .destroy(sessionID)
        .catch(() => this.#events.report('erasure_failed', { userID, code: 'session_erasure_failed' }));
    }
    return grant !== undefined;
  }

  /** Revokes, too. If the token store is unavailable, the login still ends, and a new sign-in does not fail: the record expires. */
  async #eraseLogin(login: SessionLogin): Promise<TokenSet | undefined> {
    const userID = userIDOf(login);
    try {
      return (await this.#tokens.erase(login.grantID, userID))?.tokens;
    } catch {
      this.#events.report('erasure_failed', { userID, code: 'erasure_failed' });
      return undefined;
    }
  }
}

/** @returns the login in the session, also if Passport has signed in another user since. Throws without a session. */
function loginIn(visit: Visit): SessionLogin | undefined {
  return visit.readLogin() ?? visit.login;
}
