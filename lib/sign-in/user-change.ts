import { createHash } from 'node:crypto';
import { DENIALS } from '../errors/denials.js';
import { DeniedError } from '../errors/errors.js';
import { defined } from '../http/json.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import type { LoginSession } from '../session/login-session.js';
import { type ClinicianIdentity, type SessionLogin, userIDOf } from '../session/logins.js';
import { passportUserOf, type SessionRequest, serializedUser } from '../session/site-session.js';
import type { Attempt } from './attempts.js';
import type { AttemptState, LoginOptions } from './login-request.js';

/** A login of another user than the one who is signed in, until the user confirms the change. Plain JSON. @internal */
export interface UserChange {
  /** The attempt that continues the login. */
  attempt: AttemptState;
  options: Pick<LoginOptions, 'returnTo' | 'scope'>;
  /** The name of the user who is signed in, if it is known. */
  from?: string;
  /** The name of the user who has signed in at the service, if it is known. */
  to?: string;
}

/** Reports that another user than the one who is signed in has signed in at the service. */
export class UserChangeError extends DeniedError {
  /** Not enumerable: it contains the data of the site. */
  declare readonly change: UserChange;

  constructor(change: UserChange) {
    super('user_change_unconfirmed', DENIALS.user_change_unconfirmed);
    Object.defineProperty(this, 'change', { value: change });
  }
}

/** The user who has signed in at the service. */
interface NewUser {
  identity: ClinicianIdentity;
  profile?: ClinicianProfile | undefined;
  /** The site's own user and its id, after `onSignIn` has returned it. Before that, only the identities of logins are compared. */
  site?: { user: object; userKey: string };
}

/** The user who is signed in on this site, as the session of a request contains them. @internal */
export class SessionUser {
  readonly #loginSession: LoginSession;
  readonly #req: SessionRequest;
  /** The login, unless Passport has another user. */
  readonly #login: SessionLogin | undefined;

  constructor(loginSession: LoginSession, req: SessionRequest) {
    this.#loginSession = loginSession;
    this.#req = req;
    this.#login = loginSession.belongsToOtherUser(req) ? undefined : loginSession.read(req);
  }

  /** An id of the login, or of Passport's user; undefined if no user is signed in. */
  get id(): string | undefined {
    if (this.#login) return this.#login.grantID;
    const { session } = this.#req;
    const user = session && passportUserOf(session);
    return user ? createHash('sha256').update(user).digest('base64url') : undefined;
  }

  /** @returns true if the data of the session belongs to no user, or to the one who has signed in at the service. */
  ownsSession({ id }: ClinicianIdentity): boolean {
    if (this.#login) return this.#login.id === id;
    return !this.id && !this.#loginSession.hasOthers(this.#req);
  }

  /**
   * Throws a {@link UserChangeError} if another user is signed in on this site, unless the user has confirmed the change or the
   * site has requested it (`switchUser`). A link of another site could otherwise replace the user by any user who has a session
   * at the service. @returns true if another user is signed in
   */
  async checkChange({ returnTo, scope, appState }: Attempt, found: NewUser): Promise<boolean> {
    const isSame = this.#login ? isSameUser(this.#login, found) : await isPassportUser(this.#req, found);
    if (isSame) return false;
    const confirmed = { from: this.id, to: found.identity.id };
    const isConfirmed = appState.confirmed?.from === confirmed.from && appState.confirmed?.to === confirmed.to;
    if (appState.switchUser || isConfirmed) return true;
    const user = this.#loginSession.read(this.#req)?.user ?? this.#req.user;
    throw new UserChangeError({
      attempt: { ...appState, confirmed },
      options: { scope, ...defined({ returnTo }) },
      ...defined({ from: nameOf(user), to: nameOf(found.site?.user) ?? found.profile?.fullName }),
    });
  }
}

function isSameUser(login: SessionLogin, { identity, site }: NewUser): boolean {
  return login.id === identity.id && (site === undefined || userIDOf(login) === site.userKey);
}

/**
 * @returns true also if no other strategy of Passport has signed a user in, or if the site's user is not known yet. The users
 * of a site can have their id in any member: what Passport stores is compared. A user that Passport cannot store is another
 * one.
 */
async function isPassportUser(req: SessionRequest, { site }: NewUser): Promise<boolean> {
  const { session } = req;
  if (session?.passport?.user === undefined || site === undefined) return true;
  return (await serializedUser(req, site.user)) === passportUserOf(session);
}

/** @returns the name of the site's own user, in the members that Passport profiles have. */
function nameOf(user: unknown): string | undefined {
  const { displayName, name } = (user ?? {}) as { displayName?: unknown; name?: unknown };
  return [displayName, name].find((text): text is string => typeof text === 'string' && text !== '');
}
