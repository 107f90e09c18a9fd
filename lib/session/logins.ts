import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { createSingleFlight } from '../single-flight.js';
import { grantEnded } from '../token-vault/grant-records.js';
import type { SiteSessionStore, StoredLogin } from './session-store.js';
import type { Tokens } from './tokens.js';

/**
 * Describes the clinician's verification:
 * - `verified`: the profile says exactly `true`;
 * - `pending`: the profile says anything else. Most clinicians are verified at once, some after up to three days;
 * - `unknown`: scope `basic` was not granted, or no profile has been read yet.
 */
export type Verification = 'verified' | 'pending' | 'unknown';

/** Holds the identity of the user who signed in, from the service. */
export interface ClinicianIdentity {
  /** The service's id of the user: the ID Token's `sub` in the `openid` flow, the profile's `id` in the `profile` flow. */
  id: string;
  /** The issuer: the authorization server that the user signed in with. */
  issuer: string;
  /** The profile's integer id as a string, where a profile was read at the sign-in (it differs from `id` in the `openid` flow). */
  serviceID?: string;
}

/** Holds the part of a login that the site's session contains: no token, no profile. @internal */
export interface SessionLogin extends StoredLogin {
  /** When the user signed in, in milliseconds since the Unix epoch. */
  since: number;
  /** When the user authenticated at the service (`auth_time`), in milliseconds since the Unix epoch. Absent in the `profile` flow. */
  authenticatedAt?: number;
  identity: ClinicianIdentity;
  scope: readonly string[];
  /** The service's `session_state`, for the session check. Not a secret: any page of the site may contain it. */
  sessionState?: string;
  /** True after the session at the service has changed, until the next page view checks which user is signed in there. */
  checkDue?: true;
  /** When the last such check that returned no new `sessionState` started, in milliseconds since the Unix epoch. */
  checkStartedAt?: number;
  /** The digest of the browser's own cookie. A sign-in in another browser does not keep the login. Absent in an earlier version. */
  browser?: string;
  /** The site's own user. Absent where Passport stores the user. */
  user?: unknown;
  /** The user that Passport had signed in, as JSON, where Passport stores the user. */
  passportUser?: string;
}

const MAX_ENTRIES = 50_000;

/** Holds when the tokens of a login were last found in the store, and the write of the session that had the login. */
interface ActiveLogin {
  userKey: string;
  checkedAt: number;
  writeID: string | undefined;
}

/**
 * Records which logins are active, and the verification of their users. In memory only: `verified` is profile data, which is not
 * stored. A login ends with its tokens, even while a session still contains it. @internal
 */
export interface Logins {
  /**
   * Adds a new login, with the profile that was read at the sign-in.
   * @param isStored false where its tokens may have been erased since its session was saved: they are looked up
   */
  add(login: SessionLogin, profile: ClinicianProfile | undefined, isStored: boolean): void;
  /** @returns true for a login that this process has recorded as ended. No I/O. */
  hasEnded(login: SessionLogin): boolean;
  /**
   * @returns whether a login is active, as checked at most `recheckAfter` milliseconds ago, and since its session was last written:
   * else the token store is read
   */
  isActive(login: SessionLogin, recheckAfter: number): boolean | Promise<boolean>;
  end(grantID: string): void;
  /** Ends every login of one user that this process has recorded. */
  endUser(userKey: string): void;
  /** @returns the scope of the tokens as last read: a refresh may have changed it since the sign-in. No I/O. */
  scopeOf(login: SessionLogin): readonly string[];
  /** @returns the verification as last read. No I/O. */
  lastVerification(login: SessionLogin): Verification;
  /**
   * @returns the verification as read at most `recheckAfter` milliseconds ago: without I/O where it is known, else from the profile.
   * A `pending` one is always read again, so that a verification at the service is detected at once.
   */
  verification(login: SessionLogin, recheckAfter: number): Verification | Promise<Verification>;
}

export function createLogins({
  clock,
  tokens,
  sessionStore,
}: {
  clock: Clock;
  tokens: Tokens;
  sessionStore: SiteSessionStore;
}): Logins {
  const active = new BoundedMap<string, ActiveLogin>(MAX_ENTRIES);
  const ended = new BoundedMap<string, true>(MAX_ENTRIES);
  const profiles = new BoundedMap<string, { verified: boolean; readAt: number }>(MAX_ENTRIES);
  const scopes = new BoundedMap<string, { scope: readonly string[]; version: number }>(MAX_ENTRIES);
  const lookups = createSingleFlight<boolean>();
  const reads = createSingleFlight<Verification>();

  function setActive({ grantID, userKey }: StoredLogin, writeID: string | undefined): void {
    active.set(grantID, { userKey, checkedAt: clock.now(), writeID });
  }

  function end(grantID: string): void {
    active.delete(grantID);
    profiles.delete(grantID);
    scopes.delete(grantID);
    ended.set(grantID, true);
  }
  tokens.onEnd(end);
  tokens.onScope((grantID, scope, version) => {
    // Tokens that were read before a refresh may arrive after it.
    const isOlder = version < (scopes.get(grantID)?.version ?? 0);
    if (!isOlder && !ended.has(grantID)) scopes.set(grantID, { scope, version });
  });

  const scopeOf = ({ grantID, scope }: SessionLogin) => scopes.get(grantID)?.scope ?? scope;

  function lookUp(login: StoredLogin): Promise<boolean> {
    const writeID = sessionStore.writeIDOf(login);
    // A look-up that has started before this write says nothing about it.
    return lookups.run(`${login.grantID} ${writeID}`, async () => {
      const isStored = await tokens.isStored(login.grantID, login.userKey);
      // It may have ended while the store was read.
      if (!isStored || ended.has(login.grantID)) return false;
      setActive(login, writeID);
      return true;
    });
  }

  /** Deletes a session that was written after its login had ended. Where a store fails, the next request of the session does. */
  async function verifyWrite(sessionID: string, login: StoredLogin): Promise<void> {
    const { grantID } = login;
    // The tokens of a new login are stored again after its session.
    if (!active.has(grantID) && !ended.has(grantID)) return;
    if (ended.has(grantID) || !(await lookUp(login))) await sessionStore.remove(sessionID, grantID);
  }
  sessionStore.onWrite((sessionID, login) => void verifyWrite(sessionID, login).catch(() => undefined));

  function setVerified(grantID: string, { verified }: ClinicianProfile): void {
    profiles.set(grantID, { verified: verified === true, readAt: clock.now() });
  }

  function lastVerification(login: SessionLogin): Verification {
    const profile = profiles.get(login.grantID);
    if (!profile || !scopeOf(login).includes('basic')) return 'unknown';
    return profile.verified ? 'verified' : 'pending';
  }

  function readProfile(login: SessionLogin): Promise<Verification> {
    const { grantID } = login;
    return reads.run(grantID, async () => {
      const profile = await tokens.grant(grantID).api.profile();
      // It may have ended while the profile was read.
      if (ended.has(grantID)) throw grantEnded();
      setVerified(grantID, profile);
      return lastVerification(login);
    });
  }

  return {
    add(login, profile, isStored) {
      if (isStored) setActive(login, sessionStore.writeIDOf(login));
      if (profile) setVerified(login.grantID, profile);
    },
    hasEnded: ({ grantID }) => ended.has(grantID),
    isActive(login, recheckAfter) {
      if (ended.has(login.grantID)) return false;
      const known = active.get(login.grantID);
      const isKnown = known !== undefined && known.writeID === sessionStore.writeIDOf(login);
      return isKnown && clock.now() - known.checkedAt < recheckAfter ? true : lookUp(login);
    },
    end,
    endUser(userKey) {
      const grantIDs = [...active].filter(([, login]) => login.userKey === userKey).map(([grantID]) => grantID);
      for (const grantID of grantIDs) end(grantID);
    },
    scopeOf,
    lastVerification,
    verification(login, recheckAfter) {
      if (!scopeOf(login).includes('basic')) return 'unknown';
      const profile = profiles.get(login.grantID);
      const isFresh = profile?.verified === true && clock.now() - profile.readAt < recheckAfter;
      return isFresh ? 'verified' : readProfile(login);
    },
  };
}
