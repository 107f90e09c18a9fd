import { createHash } from 'node:crypto';
import { denied } from '../errors/denials.js';
import type { LoginSession } from '../session/login-session.js';
import { type ClinicianIdentity, type SessionLogin, userIDOf } from '../session/logins.js';
import { passportUserOf, type SessionRequest, serializedUser } from '../session/site-session.js';
import type { Attempt } from './attempts.js';
import type { AttemptState } from './login-request.js';

/** What a sign-in is for: the session of the site, `passport.authorize()` that links an account, or only its tokens. @internal */
export type SignInPurpose = 'session' | 'link' | 'tokens';

/** The user who has signed in at the service. */
interface NewUser {
  identity: ClinicianIdentity;
  /** The site's own user and its id, after the site has returned it. Before that, only the identities of logins are compared. */
  site?: { user: unknown; userKey: string };
}

type SessionParts = Pick<LoginSession, 'belongsToOtherUser' | 'find' | 'findOther' | 'hasAny'>;

/** The user who is signed in on this site, as the session of a request contains them. @internal */
export class SessionUser {
  readonly #loginSession: SessionParts;
  readonly #req: SessionRequest;
  /** The login, unless Passport has another user. */
  readonly #login: SessionLogin | undefined;

  constructor(loginSession: SessionParts, req: SessionRequest) {
    this.#loginSession = loginSession;
    this.#req = req;
    this.#login = loginSession.belongsToOtherUser(req) ? undefined : loginSession.find(req);
  }

  /** Names the account that an attempt links; empty if no user is signed in. */
  get account(): string {
    const user = passportUserOf(this.#req) || (this.#login ? userIDOf(this.#login) : '');
    return user && createHash('sha256').update(user).digest('base64url').slice(0, 22);
  }

  /** @returns true if the data of the session belongs to no user, or to the one who has signed in at the service. */
  ownsSession({ id }: ClinicianIdentity): boolean {
    if (this.#login) return this.#login.id === id;
    return !this.account && !this.#loginSession.hasAny(this.#req);
  }

  /**
   * Throws a {@link DeniedError} `user_changed` if another user is signed in on this site, and for a link to another account than
   * the one that it was started for. A link of another site could otherwise replace the user by any user who has a session at the
   * service, or link the identity of that user to the account.
   */
  async check(purpose: SignInPurpose, { appState }: Attempt, found: NewUser): Promise<void> {
    if (purpose === 'tokens') return;
    const isSame = purpose === 'link' ? appState.account === this.account : await this.#isSame(found, appState);
    if (!isSame) throw denied('user_changed');
  }

  /**
   * The users of a site can have their id in any member: what Passport stores is compared. A user that Passport cannot store is
   * another one. Only a page of this site can lead from a login of another instance to one with another id at the site.
   */
  async #isSame({ identity, site }: NewUser, { fromOtherSite }: AttemptState): Promise<boolean> {
    const login = this.#login;
    if (login) return login.id === identity.id && (site === undefined || userIDOf(login) === site.userKey);
    if (site === undefined) return true;
    const passportUser = passportUserOf(this.#req);
    if (passportUser !== '') return (await serializedUser(this.#req, site.user)) === passportUser;
    const other = fromOtherSite && this.#loginSession.findOther(this.#req);
    return !other || userIDOf(other) === site.userKey;
  }
}
