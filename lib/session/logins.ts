import type { Clock } from '../async/clock.js';
import { SingleFlight } from '../async/work.js';
import { grantEnded, SignInRequiredError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { type MemberTypes, parseStored } from '../sealing/sealer.js';
import type { KnownLogin, Tokens } from './tokens.js';

/**
 * The clinician's verification:
 * - `verified`: the profile says exactly `true`;
 * - `pending`: the profile says anything else. Most clinicians are verified at once, some after up to three days;
 * - `unknown`: scope `basic` was not granted, or no profile has been read yet.
 */
export type Verification = 'verified' | 'pending' | 'unknown';

/** The identity of the user who signed in, from the service. */
export interface ClinicianIdentity {
  /** The service's id of the user: the ID Token's `sub` in the `openid` flow, the profile's `id` in the `profile` flow. */
  id: string;
  /** The issuer: the authorization server that the user signed in with. */
  issuer: string;
  /** The profile's integer id as a string, if a profile was read at the sign-in (it differs from `id` in the `openid` flow). */
  serviceID?: string;
}

/**
 * The part of a login that the site's session contains, as JSON text: no token, no profile, and no value twice. express-session hashes
 * the session three times in each request, and calls a function for each member. @internal
 */
export interface SessionLogin {
  grantID: string;
  /** The service's id of the user. */
  id: string;
  /** The site's own id of the user. Absent if it is the service's. */
  userKey?: string;
  /** When it was last used, with the precision of {@link Logins.use}, in milliseconds since the Unix epoch. */
  usedAt?: number;
  /** When the user signed in, in milliseconds since the Unix epoch. */
  since: number;
  /** When the user authenticated at the service (`auth_time`), in milliseconds since the Unix epoch. Absent in the `profile` flow. */
  authenticatedAt?: number;
  serviceID?: string;
  scope: readonly string[];
  /** The service's `session_state`, for the session check. Not a secret: any page of the site may contain it. */
  sessionState?: string;
  /** True after the session at the service has changed, until the next page view checks which user is signed in there. */
  checkDue?: true;
  /** When the last such check started, in milliseconds since the Unix epoch; 0 if it returned a new `sessionState`. */
  checkStartedAt?: number;
  /** The site's own user. Absent if Passport stores the user, and if it has only the id of {@link userIDOf}. */
  user?: unknown;
  /** The user that Passport had signed in, as JSON, if Passport stores the user. */
  passportUser?: string;
}

type LoginScope = Pick<SessionLogin, 'grantID' | 'scope'>;

const loginMembers: MemberTypes<SessionLogin> = {
  grantID: 'text',
  id: 'text',
  userKey: 'text?',
  usedAt: 'number?',
  since: 'number',
  authenticatedAt: 'number?',
  serviceID: 'text?',
  scope: 'strings',
  sessionState: 'text?',
  checkDue: 'boolean?',
  checkStartedAt: 'number?',
  user: 'object?',
  passportUser: 'string?',
};

/** @returns the login of the text that a session contains, if this version of the package has written it. @internal */
export function parseLogin(stored: unknown): SessionLogin | undefined {
  return typeof stored === 'string' ? parseStored(stored, loginMembers) : undefined;
}

/** @returns the site's own id of the user. */
export function userIDOf({ id, userKey = id }: Pick<SessionLogin, 'id' | 'userKey'>): string {
  return userKey;
}

/** A request stores the time of the last use in the session if this part of `idleTimeout` has passed since the last one. */
const RECORDED_PART = 1 / 20;

interface LoginsOptions {
  clock: Clock;
  tokens: Pick<Tokens, 'end' | 'grant' | 'isStored' | 'known'>;
  events: Events;
  idleTimeout: number;
  absoluteTimeout: number;
}

/**
 * Which logins are active, and the verification of their users. A login ends with its tokens, even while a session still contains
 * it, and when it is not used, or too old (NIST SP 800-63B-4, OWASP Session Management Cheat Sheet). @internal
 */
export class Logins {
  readonly #options: LoginsOptions;
  /** What this process knows of each login, by grant id. */
  readonly known: ReadonlyMap<string, KnownLogin>;
  readonly #reads = new SingleFlight<ClinicianProfile>();

  constructor(options: LoginsOptions) {
    this.#options = options;
    this.known = options.tokens.known;
  }

  /**
   * Adds a new login, with the profile that was read at the sign-in. Its tokens are looked up at its next request: they may have
   * been erased before the session was saved.
   */
  add(login: SessionLogin, profile: ClinicianProfile | undefined): void {
    if (profile) this.#setVerified(login, profile);
    this.#options.events.emit('signed_in', { userID: userIDOf(login), scope: login.scope });
  }

  /** @returns true for a login that this process has recorded as ended. No I/O. */
  hasEnded({ grantID }: SessionLogin): boolean {
    return this.known.get(grantID)?.hasEnded === true;
  }

  /** @returns whether a login is active, as checked at most `recheckAfter` milliseconds ago: else the token store is read */
  isActive(login: SessionLogin, recheckAfter: number): boolean | Promise<boolean> {
    const { clock, tokens } = this.#options;
    const { hasEnded, foundAt = Number.NEGATIVE_INFINITY } = this.known.get(login.grantID) ?? {};
    if (hasEnded) return false;
    return clock.now() - foundAt < recheckAfter ? true : tokens.isStored(login.grantID, userIDOf(login));
  }

  /**
   * Uses a login now. Ends it if it has expired, without its tokens and its session.
   * @returns the login: another object, with the time of this use, if the session must store that; undefined if it has expired
   */
  use(login: SessionLogin): SessionLogin | undefined {
    const { grantID, since, usedAt = since } = login;
    const { clock, tokens, events, idleTimeout, absoluteTimeout } = this.#options;
    const now = clock.now();
    // A time in the future is not from this site: its login would never expire.
    if (Math.abs(now - usedAt) <= idleTimeout && Math.abs(now - since) <= absoluteTimeout)
      return now - usedAt > idleTimeout * RECORDED_PART ? { ...login, usedAt: now } : login;
    // A further request of the session finds the login ended.
    tokens.end(grantID);
    const error = new SignInRequiredError('login_expired', 'The login has expired. Sign in again.');
    events.emit('login_ended', { userID: userIDOf(login), error });
    return undefined;
  }

  /** @returns the scope of the tokens as last read: a refresh may have changed it since the sign-in. No I/O. */
  scopeOf(login: LoginScope): readonly string[] {
    return this.known.get(login.grantID)?.scope ?? login.scope;
  }

  /** @returns the verification as last read. No I/O. */
  lastVerification(login: LoginScope): Verification {
    const isVerified = this.known.get(login.grantID)?.isVerified;
    if (isVerified === undefined || !this.scopeOf(login).includes('basic')) return 'unknown';
    return isVerified ? 'verified' : 'pending';
  }

  /**
   * @returns the verification as read at most `recheckAfter` milliseconds ago: without I/O if it is known, else from the profile.
   * A `pending` one is always read again, so that a verification at the service is detected at once.
   */
  verification(login: SessionLogin, recheckAfter: number): Verification | Promise<Verification> {
    if (!this.scopeOf(login).includes('basic')) return 'unknown';
    const { isVerified, profileReadAt = 0 } = this.known.get(login.grantID) ?? {};
    const isFresh = isVerified === true && this.#options.clock.now() - profileReadAt < recheckAfter;
    return isFresh ? 'verified' : this.profile(login).then(() => this.lastVerification(login));
  }

  /** Reads the profile. Concurrent calls share one request. */
  profile(login: SessionLogin): Promise<ClinicianProfile> {
    const { grantID } = login;
    return this.#reads.run(grantID, async () => {
      const profile = await this.#options.tokens.grant(grantID).api.profile();
      // It may have ended while the profile was read.
      if (this.hasEnded(login)) throw grantEnded();
      this.#setVerified(login, profile);
      return profile;
    });
  }

  #setVerified(login: SessionLogin, { verified }: ClinicianProfile): void {
    const known = this.known.get(login.grantID);
    if (!known || known.hasEnded) return;
    known.isVerified = verified === true;
    known.profileReadAt = this.#options.clock.now();
  }
}
