import { hash } from 'node:crypto';
import { denied } from '../errors/denials.js';
import { type ClinicianIdentity, userIDOf } from '../session/logins.js';
import { passportUserOf, serializedUser } from '../session/passport-user.js';
import type { SessionRequest, SiteSession } from '../session/site-session.js';
import type { AttemptState } from './login-request.js';

/** What a sign-in is for: the session of the site, `passport.authorize()` that links an account, or only its tokens. @internal */
export type SignInPurpose = 'session' | 'link' | 'tokens';

/** The user who has signed in at the service. @internal */
export interface NewUser {
  identity: ClinicianIdentity;
  /** The site's own user and its id, after the site has returned it. Before that, only the identities of logins are compared. */
  site?: { user: unknown; userKey: string };
}

type SiteUsers = Pick<SiteSession, 'current' | 'findOther' | 'hasAny'>;

/** @returns a name of the account that an attempt links; empty if no user is signed in. */
export function accountOf(req: SessionRequest, session: SiteUsers): string {
  const login = session.current(req);
  const user = passportUserOf(req) || (login ? userIDOf(login) : '');
  return user && hash('sha256', user, 'base64url').slice(0, 22);
}

/** @returns true if the data of the session belongs to no user, or to the one who has signed in at the service. */
export function ownsSession(req: SessionRequest, session: SiteUsers, { id }: ClinicianIdentity): boolean {
  const login = session.current(req);
  if (login) return login.id === id;
  return passportUserOf(req) === '' && !session.hasAny(req);
}

/**
 * Throws a {@link DeniedError} `user_changed` if another user is signed in on this site, and for a link to another account than
 * the one that it was started for. A link of another site could otherwise replace the user by any user who has a session at the
 * service, or link the identity of that user to the account.
 */
export async function refuseOtherUser(
  req: SessionRequest,
  session: SiteUsers,
  purpose: SignInPurpose,
  state: AttemptState,
  found: NewUser,
): Promise<void> {
  if (purpose === 'tokens') return;
  const isSame =
    purpose === 'link' ? state.account === accountOf(req, session) : await isSameUser(req, session, state, found);
  if (!isSame) throw denied('user_changed');
}

/**
 * The users of a site can have their id in any member: what Passport stores is compared. A user that Passport cannot store is
 * another one. Only a page of this site can lead from a login of another instance to one with another id at the site.
 */
async function isSameUser(
  req: SessionRequest,
  session: SiteUsers,
  { fromOtherSite }: AttemptState,
  { identity, site }: NewUser,
): Promise<boolean> {
  const login = session.current(req);
  if (login) return login.id === identity.id && (site === undefined || userIDOf(login) === site.userKey);
  if (site === undefined) return true;
  const passportUser = passportUserOf(req);
  if (passportUser !== '') return (await serializedUser(req, site.user)) === passportUser;
  const other = fromOtherSite && session.findOther(req);
  return !other || userIDOf(other) === site.userKey;
}
