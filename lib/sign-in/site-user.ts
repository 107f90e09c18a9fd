import { hash } from 'node:crypto';
import { SITE_TIMEOUT_MS, TimeoutError, withTimeout } from '../async/timers.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { denied } from '../errors/denials.js';
import { argumentInvalid, ConfigurationError, type DenialLink, DeniedError } from '../errors/errors.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { type ClinicianIdentity, parseLogin, type SessionLogin, userIDOf } from '../session/logins.js';
import { passportKeyOf, passportUserOf, serializedUser } from '../session/passport-user.js';
import type { Visit } from '../session/visit.js';
import { isUserID } from '../token-vault/token-store.js';
import type { AttemptState } from './login-request.js';

const DENIAL = Symbol.for('passport-clinician.denial');

/** The site's denial of a sign-in; see {@link deny}. */
export interface Denial {
  readonly denied: string;
  readonly link?: DenialLink;
}

/**
 * @returns a denial for `onSignIn` to return. Throws a {@link ConfigurationError} `argument_invalid` without a reason, and for a link
 * to another place than a path of this site or an https URL.
 * @param reason shown to the user @param link shown as the first action: `{ label: 'Apply for access', url: '/apply' }`
 */
export function deny(reason: string, link?: DenialLink): Denial {
  if (typeof reason !== 'string' || reason === '') {
    throw argumentInvalid('deny() needs the reason, a string that is shown to the user.');
  }
  if (link !== undefined && !isValidLink(link)) {
    throw argumentInvalid(
      "the link of deny() needs a label of at most 100 characters, and a URL of at most 1,000 that is a path of this site or starts with https: deny('...', { label: 'Apply for access', url: '/apply' }).",
    );
  }
  return Object.defineProperty({ denied: reason, ...(link && { link }) }, DENIAL, { value: true });
}

const SITE = 'https://site.invalid';
/** The link is saved in a cookie until the page is shown. */
const MAX_LABEL_LENGTH = 100;
const MAX_URL_LENGTH = 1000;

/** A browser reads `//host`, `/\\host` and a path with a tab or a line break before the second slash as another host. */
function isValidLink({ label, url }: Partial<DenialLink>): boolean {
  if (typeof label !== 'string' || label === '' || label.length > MAX_LABEL_LENGTH) return false;
  if (typeof url !== 'string' || url.length > MAX_URL_LENGTH) return false;
  if (url.startsWith('/')) return URL.canParse(url, SITE) && new URL(url, SITE).origin === SITE;
  return url.startsWith('https://') && URL.canParse(url);
}

/** The argument of `onSignIn`. */
export interface SignInEvent<Req = unknown> {
  identity: ClinicianIdentity;
  /** Absent without scope `basic`, and in the `openid` flow if it cannot be read: see option `profileRequired`. */
  profile: ClinicianProfile | undefined;
  /** The claims of the validated ID Token, not of the UserInfo endpoint. They are not stored. Undefined in the `profile` flow. */
  claims: Readonly<Record<string, unknown>> | undefined;
  /** Tokens never print: see {@link Secret}. */
  tokens: TokenSet;
  req: Req;
  /** The option `state` of `clinician.login()` or `passport.authenticate()`: only this site can have set it, in this browser. */
  state: unknown;
  /**
   * The data of the session before the sign-in, which deletes it, because an attacker may have written it (session fixation).
   * Empty if another user is signed in: by this instance, by another one, or by another strategy of Passport.
   */
  previousSession: Readonly<Record<string, unknown>>;
  /**
   * Copies members into the new session: `carryOver({ cart: previousSession.cart })`. Check the values, which are from before the
   * sign-in. Copy no roles, ids or other rights. Has no effect if another user was signed in, and with `session: false`.
   */
  carryOver(data: object): void;
}

// A promise is an object too: one of `undefined`, such as of a user that is not found, would be a user.
/** The decision of `onSignIn`: the site's own user, or a denial. `false` and `null` deny without a reason; an error is thrown. */
export type SignInDecision<User extends object> =
  | (User & { readonly then?: undefined })
  | Denial
  | Error
  | false
  | null;

// The type of a method: the compiler accepts a request with the type of Express.
/**
 * Maps the clinician who signed in to the site's own user, or denies the sign-in with {@link deny}. `clinician.user(req)` has the
 * type of the users that it returns.
 */
export type OnSignIn<Req = unknown, User extends object = object> = {
  map(event: SignInEvent<Req>): SignInDecision<User> | Promise<SignInDecision<User>>;
}['map'];

/**
 * @param call a function of the site, which is named `source`
 * @returns its decision. A later one has no effect. Throws a {@link ConfigurationError} `site_error` after 30 seconds
 */
export async function decisionOf<T>(source: string, call: () => T | Promise<T>): Promise<T> {
  try {
    return await withTimeout(SITE_TIMEOUT_MS, Promise.resolve().then(call));
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
    const message = `passport-clinician: ${source} did not decide within ${SITE_TIMEOUT_MS / 1000} seconds. It must call done, or its promise must settle.`;
    throw new ConfigurationError('site_error', message);
  }
}

/** @returns the user that `onSignIn` returned, and the site's id of that user. Throws for a denial. */
export function siteUser(returned: unknown, identity: ClinicianIdentity): { user: object; userKey: string } {
  if (returned instanceof Error) throw returned;
  if (returned === false || returned === null) throw denied('sign_in_refused');
  if (typeof returned !== 'object') {
    throw new ConfigurationError(
      'user_invalid',
      'passport-clinician: onSignIn must return the user as an object, or deny(reason).',
    );
  }
  if (Object.hasOwn(returned, DENIAL)) {
    const { denied, link } = returned as Denial;
    throw new DeniedError('sign_in_refused', String(denied), undefined, { link });
  }
  return { user: returned, userKey: userKeyOf(returned, identity.id, 'onSignIn') };
}

/**
 * @returns the site's own id of the user: the argument of `forget(userID)`. Throws for an id that is no string and no number.
 * @param defaultID the service's id @param source the function of the site that returned the user
 */
export function userKeyOf(user: unknown, defaultID: unknown, source: string): string {
  // An `id` that is undefined is a mistake of the site: all its users would have the same one.
  const { id } = 'id' in Object(user) ? (user as { id: unknown }) : { id: defaultID };
  if (isUserID(id)) return String(id);
  throw new ConfigurationError(
    'user_invalid',
    `passport-clinician: the 'id' of the user that ${source} returned must be a string or a number. Leave it out to use the service's id.`,
  );
}

/** The data of a session, and what of it the site copies into the renewed session. @internal */
export interface CarryOver {
  /** The data before the sign-in, without that of express-session, Passport and this package. Empty if it is of another user. */
  previousSession: Readonly<Record<string, unknown>>;
  carryOver(data: object): void;
  /** What {@link CarryOver.carryOver} has added. */
  carried: Readonly<Record<string, unknown>>;
}

/** The data of another user than the one who signs in is not passed on. */
export function createCarryOver({ req, currentLogin: login }: Visit, { id }: ClinicianIdentity): CarryOver {
  const { session = {} as never } = req;
  const isUnowned = passportUserOf(req) === '' && req.session?.clinician === undefined;
  const isOwn = login ? login.id === id : isUnowned;
  const reserved = ['cookie', 'clinician', passportKeyOf(req)];
  const entries = isOwn ? Object.entries(session).filter(([name]) => !reserved.includes(name)) : [];
  const carried: Record<string, unknown> = {};
  return {
    previousSession: Object.freeze(Object.fromEntries(entries)),
    carried,
    carryOver(data) {
      if (typeof data !== 'object' || data === null || Array.isArray(data)) {
        throw argumentInvalid('carryOver() needs an object, such as { cart: previousSession.cart }.');
      }
      // The members of the session that are not data are reserved too.
      const own = Object.keys(session);
      const wrong = Object.keys(data).find(
        (name) => reserved.includes(name) || (name in session && !own.includes(name)),
      );
      if (wrong !== undefined) throw argumentInvalid(`carryOver() cannot write the member '${wrong}' of the session.`);
      Object.assign(carried, data);
    },
  };
}

/** What a sign-in is for: the session of the site, `passport.authorize()` that links an account, or only its tokens. @internal */
export type SignInPurpose = 'session' | 'link' | 'tokens';

/** The user who has signed in at the service. @internal */
export interface NewUser {
  identity: ClinicianIdentity;
  /** The site's own user and its id, after the site has returned it. Before that, only the identities of logins are compared. */
  site?: { user: unknown; userKey: string };
}

/** @returns a name of the account that an attempt links; empty if no user is signed in. */
export function accountOf({ req, currentLogin }: Visit): string {
  const user = passportUserOf(req) || (currentLogin ? userIDOf(currentLogin) : '');
  return user && hash('sha256', user, 'base64url').slice(0, 22);
}

/**
 * Throws a {@link DeniedError} `user_changed` if another user is signed in on this site, and for a link to another account than
 * the one that it was started for. A link of another site could otherwise replace the user by any user who has a session at the
 * service, or link the identity of that user to the account.
 */
export async function refuseOtherUser(
  visit: Visit,
  purpose: SignInPurpose,
  state: AttemptState,
  found: NewUser,
): Promise<void> {
  if (purpose === 'tokens') return;
  const isSame = purpose === 'link' ? state.account === accountOf(visit) : await isSameUser(visit, state, found);
  if (!isSame) throw denied('user_changed');
}

/**
 * The users of a site can have their id in any member: what Passport stores is compared. A user that Passport cannot store is
 * another one. Only a page of this site can lead from a login of another instance to one with another id at the site.
 */
async function isSameUser(
  visit: Visit,
  { fromOtherSite }: AttemptState,
  { identity, site }: NewUser,
): Promise<boolean> {
  const { req, currentLogin: login } = visit;
  if (login) return login.id === identity.id && (site === undefined || userIDOf(login) === site.userKey);
  if (site === undefined) return true;
  const passportUser = passportUserOf(req);
  if (passportUser !== '') return (await serializedUser(req, site.user)) === passportUser;
  const other = fromOtherSite && otherLogin(visit);
  return !other || userIDOf(other) === site.userKey;
}

/** @returns the login of another instance, unless Passport has signed in another user since. */
function otherLogin({ req, visits }: Visit): SessionLogin | undefined {
  const { [visits.instance]: _, ...others } = req.session?.clinician ?? {};
  const logins = Object.values(others).flatMap((stored) => parseLogin(stored) ?? []);
  return logins.find(({ passportUser }) => [undefined, passportUserOf(req)].includes(passportUser));
}
