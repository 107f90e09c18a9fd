import type { Transaction } from '../authorization-server/authorization-request.js';
import { DeniedError } from '../errors.js';
import { defined } from '../json.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import type { LoginSession } from '../session/login-session.js';
import type { ClinicianIdentity, SessionLogin } from '../session/logins.js';
import { passportUserOf, type SessionRequest, serializedUser } from '../session/site-session.js';
import { attemptIn } from './login.js';
import type { Attempt, LoginOptions } from './login-request.js';

/** Holds a login of another user than the one who is signed in, until the user confirms the change. Plain JSON. @internal */
export interface UserChange {
  /** The attempt that continues the login. */
  attempt: Attempt;
  options: Pick<LoginOptions, 'returnTo' | 'scope'> & { responseMode?: 'fragment' };
  /** The name of the user who is signed in, where it is known. */
  from?: string;
  /** The name of the user who has signed in at the service, where it is known. */
  to?: string;
}

/** Reports that another user than the one who is signed in has signed in at the service. */
export class UserChangeError extends DeniedError {
  /** Not enumerable: it contains the data of the site. */
  declare readonly change: UserChange;

  constructor(change: UserChange) {
    super(
      'user_change_unconfirmed',
      'Another user is signed in on this site. Sign out first, or confirm the change of user.',
    );
    Object.defineProperty(this, 'change', { value: change });
  }
}

/** Holds the user who has signed in at the service. */
interface NewUser {
  identity: ClinicianIdentity;
  profile?: ClinicianProfile | undefined;
  /** The site's own user. */
  user: object;
  userKey: string;
}

/**
 * Throws a {@link UserChangeError} where another user is signed in on this site, unless the user has confirmed the change or the
 * site has requested it (`switchUser`). A link of another site could otherwise replace the user by any user who has a session at
 * the service.
 */
export async function assertSameUser(
  loginSession: LoginSession,
  req: SessionRequest,
  transaction: Transaction,
  found: NewUser,
): Promise<void> {
  const attempt = attemptIn(transaction);
  const { userKey } = found;
  if (attempt.switchUser || attempt.confirmedUser === userKey) return;
  if (!(await isOtherUser(loginSession, req, found))) return;
  const login = loginSession.read(req);
  const { returnTo, scope, responseMode } = transaction;
  throw new UserChangeError({
    attempt: { ...attempt, confirmedUser: userKey },
    options: { scope, ...defined({ returnTo }), ...(responseMode === 'fragment' && { responseMode }) },
    ...defined({ from: nameOf(login?.user ?? req.user), to: nameOf(found.user) ?? found.profile?.fullName }),
  });
}

/** @returns true where a user is signed in on this site who is not the one who has signed in at the service. */
export async function isOtherUser(loginSession: LoginSession, req: SessionRequest, found: NewUser): Promise<boolean> {
  const login = loginSession.read(req);
  const isCurrent = login && !loginSession.belongsToOtherUser(req);
  return !(isCurrent ? isSameUser(login, found) : await isPassportUser(req, found));
}

function isSameUser(login: SessionLogin, { identity, userKey }: NewUser): boolean {
  return login.userKey === userKey && login.identity.id === identity.id;
}

/**
 * Returns true also where no other strategy of Passport has signed a user in. The users of a site can have their id in any member:
 * what Passport stores is compared. A user that Passport cannot store is another one.
 */
async function isPassportUser(req: SessionRequest, { user }: NewUser): Promise<boolean> {
  const { session } = req;
  return session?.passport?.user === undefined || (await serializedUser(req, user)) === passportUserOf(session);
}

/** Returns the name of the site's own user, in the members that Passport profiles have. */
function nameOf(user: unknown): string | undefined {
  const { displayName, name } = (user ?? {}) as { displayName?: unknown; name?: unknown };
  return [displayName, name].find((text): text is string => typeof text === 'string' && text !== '');
}
