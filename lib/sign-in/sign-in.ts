import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Clock } from '../async/clock.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { ServiceUnavailableError, SignInRequiredError } from '../errors/errors.js';
import type { Logins, SessionLogin } from '../session/logins.js';
import type { SignOut } from '../session/sign-out.js';
import type { PassportCall, SiteSession } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import type { Visit } from '../session/visit.js';
import type { Attempt } from './attempts.js';
import type { Identification, SignedInUser } from './identify.js';
import {
  createCarryOver,
  decisionOf,
  type OnSignIn,
  refuseOtherUser,
  type SignInPurpose,
  siteUser,
} from './site-user.js';

/** The user that the site has accepted. No session contains the login yet, and its tokens are not stored. @internal */
export interface AcceptedUser extends SignedInUser {
  user: unknown;
  userKey: string;
  /** The id under which the tokens will be stored. */
  grantID: string;
  /** What the new session contains in addition. */
  data: object;
}

interface AcceptanceOptions {
  server: Pick<AuthorizationServer, 'redeem'>;
  identification: Pick<Identification, 'identify'>;
  tokens: Pick<Tokens, 'newGrantID' | 'revoke'>;
  onSignIn: OnSignIn<never>;
}

/** Accepts users by `onSignIn`. The session is unchanged. @internal */
export class Acceptance {
  readonly #server: AcceptanceOptions['server'];
  readonly #identification: AcceptanceOptions['identification'];
  readonly #tokens: AcceptanceOptions['tokens'];
  readonly #onSignIn: OnSignIn<never>;

  constructor({ server, identification, tokens, onSignIn }: AcceptanceOptions) {
    this.#server = server;
    this.#identification = identification;
    this.#tokens = tokens;
    this.#onSignIn = onSignIn;
  }

  /**
   * Redeems the response of a request, identifies the user, and calls `onSignIn`. Throws a {@link DeniedError} `user_changed` for
   * another user than the one who is signed in. If it throws, the new tokens are revoked.
   */
  async accept(visit: Visit, attempt: Attempt, purpose: SignInPurpose): Promise<AcceptedUser> {
    const { appState } = attempt;
    const redeemed = await this.#server.redeem(visit.query, attempt);
    try {
      const signedIn = await this.#identification.identify(redeemed);
      const { identity } = signedIn;
      await refuseOtherUser(visit, purpose, appState, { identity });
      const decision = await this.#decide(visit, signedIn, appState.siteState);
      // `onSignIn` may have changed the session, and shows the id of the site's own user.
      await refuseOtherUser(visit, purpose, appState, { identity, site: decision });
      return { ...signedIn, ...decision, grantID: await this.#tokens.newGrantID() };
    } catch (error) {
      await this.#tokens.revoke(redeemed);
      throw error;
    }
  }

  async #decide(
    visit: Visit,
    { identity, profile, tokens }: SignedInUser,
    state: unknown,
  ): Promise<Pick<AcceptedUser, 'user' | 'userKey' | 'data'>> {
    const { req } = visit;
    const { previousSession, carryOver, carried } = createCarryOver(visit, identity);
    const event = {
      ...{ identity, profile, tokens, req, state, previousSession, carryOver },
      // A getter, as in the `params`: a log that prints the event does not contain them.
      get claims() {
        return tokens.params.claims;
      },
    };
    const returned = await decisionOf('onSignIn', () => this.#onSignIn(event as never));
    return { ...siteUser(returned, identity), data: carried };
  }
}

interface SignInOptions {
  clock: Clock;
  acceptance: Pick<Acceptance, 'accept'>;
  session: SiteSession;
  tokens: Tokens;
  logins: Pick<Logins, 'add'>;
  signOut: Pick<SignOut, 'discard' | 'limit'>;
}

/** Signs users in: in the session, with the tokens in the store. @internal */
export class SignIn {
  readonly #clock: Clock;
  readonly #acceptance: SignInOptions['acceptance'];
  readonly #session: SiteSession;
  readonly #tokens: Tokens;
  readonly #logins: SignInOptions['logins'];
  readonly #signOut: SignInOptions['signOut'];

  constructor({ clock, acceptance, session, tokens, logins, signOut }: SignInOptions) {
    this.#clock = clock;
    this.#acceptance = acceptance;
    this.#session = session;
    this.#tokens = tokens;
    this.#logins = logins;
    this.#signOut = signOut;
  }

  /** Finishes an attempt of the drop-in. */
  async finish(visit: Visit, attempt: Attempt): Promise<void> {
    const isSilent = attempt.appState.mode === 'silent';
    // A silent sign-in never switches the user.
    if (isSilent && visit.req.session?.clinician !== undefined) return;
    try {
      await this.establish(visit, await this.#acceptance.accept(visit, attempt, 'session'));
    } catch (error) {
      // It shows no error: the user requested nothing.
      if (!isSilent) throw error;
    }
  }

  /**
   * Renews the session, stores the tokens with its id, and then saves it with the login, in place of the login before. If it
   * throws, the new tokens are revoked; once the session is renewed, no user is signed in.
   * @param logIn Passport's own call, if Passport signs the user in
   */
  async establish(visit: Visit, accepted: AcceptedUser, logIn?: PassportCall): Promise<void> {
    const { req, res } = visit;
    const { grantID, userKey, tokens } = accepted;
    const { sessionID } = req;
    let before: SessionLogin | undefined;
    let login = this.#loginOf(accepted);
    try {
      refuseSentResponse(res);
      before = visit.readLogin() ?? visit.login;
    } catch (error) {
      await this.discard(accepted);
      throw error;
    }
    try {
      login = await this.#session.renew(req, login, accepted, logIn);
      refuseSentResponse(res);
      await this.#tokens.add({ grantID, userKey, sessionID: req.sessionID }, tokens);
      await this.#session.save(req, login);
      if (before) await this.#signOut.discard(before, sessionID);
      // The browser may not have the id of this session: it has received another response, or none.
      refuseSentResponse(res);
    } catch (error) {
      const ended = before && this.#signOut.discard(before);
      await Promise.all([this.#session.abandon(req, sessionID), this.#tokens.discard(accepted, tokens), ended]);
      visit.setState();
      throw error;
    }
    this.#add(visit, accepted, login);
    visit.setState();
    this.#session.mark.set(res, '1');
  }

  /** Leaves the tokens to the site, which has their grant id: no session contains the login. Throws if they are not stored. */
  async release(visit: Visit, accepted: AcceptedUser): Promise<void> {
    try {
      await this.#tokens.add(accepted, accepted.tokens);
    } catch (error) {
      await this.#tokens.discard(accepted, accepted.tokens);
      throw error;
    }
    this.#add(visit, accepted, this.#loginOf(accepted));
  }

  /** Revokes the tokens of a user who does not sign in. Never throws. */
  async discard({ grantID, userKey, tokens }: AcceptedUser): Promise<void> {
    await this.#tokens.revoke(tokens, { userID: userKey, grantID });
  }

  #add({ res }: Visit, { grantID, userKey, profile, response }: AcceptedUser, login: SessionLogin): void {
    if (response) this.#tokens.cacheProfile(grantID, response);
    this.#logins.add(login, profile);
    // The user does not wait for the revocation of other logins, and a sign-in that fails ends none.
    finished(res, () => void this.#signOut.limit(userKey));
  }

  #loginOf({ grantID, userKey, identity, tokens }: AcceptedUser): SessionLogin {
    const { id, serviceID } = identity;
    const { scope, sessionState, authTime } = tokens;
    return {
      ...{ grantID, id, scope, since: this.#clock.now() },
      ...(userKey !== id && { userKey }),
      ...(serviceID !== undefined && { serviceID }),
      ...(authTime !== undefined && { authenticatedAt: authTime }),
      ...(sessionState && { sessionState }),
    };
  }
}

/** Throws for a request that already has a response, or whose browser has closed the connection, which is no failure of the site. */
export function refuseSentResponse({ headersSent, destroyed }: ServerResponse): void {
  if (headersSent) throw responseSent();
  if (!destroyed) return;
  const message = 'The browser closed the connection before the sign-in was complete. Sign in again.';
  throw new SignInRequiredError('sign_in_required', message);
}

/** @returns the error for a sign-in whose request has a response, for example of a timeout of the site. */
export function responseSent(): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'session_unavailable',
    'The response was sent before the sign-in was complete, so the user is not signed in. Sign in again.',
  );
}
