import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Clock } from '../async/clock.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { ServiceUnavailableError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import type { Logins, SessionLogin } from '../session/logins.js';
import type { SignOut } from '../session/sign-out.js';
import type { PassportCall, SessionRequest, SiteSession } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import type { Visit } from '../session/visit.js';
import type { Attempt, Attempts } from './attempts.js';
import type { Identification, SignedInUser } from './identify.js';
import type { SignInMode } from './login-request.js';
import { ownsSession, refuseOtherUser, type SignInPurpose } from './same-user.js';
import { createCarryOver, decisionOf, type OnSignIn, siteUser } from './site-user.js';

/** Where the result of a login attempt is shown. @internal */
export interface SignInTarget {
  mode: SignInMode;
  /** The path to redirect to after the login. */
  returnTo: string;
}

/** Shows the end of the logins with another `display` than the window of the site. @internal */
export interface LoginDisplay {
  /** @returns the path to return to from a login that a request starts */
  returnTo(visit: Visit, returnTo: string): string;
  /** Shows that the user is signed in. */
  show(visit: Visit, returnTo: string): void;
}

/** By the mode of the login. @internal */
export type LoginDisplays = Readonly<Partial<Record<SignInMode, LoginDisplay>>>;

/** The result of a login attempt. @internal */
export interface SignInResult extends SignInTarget {
  /** Present if the sign-in failed. A silent one fails without an error. */
  error?: unknown;
}

/** Finishes the attempts of a mode that is no sign-in. @internal */
export interface AttemptFinisher {
  finish(req: SessionRequest, response: URLSearchParams, attempt: Attempt): Promise<void>;
}

/** The user that the site has accepted. No session contains the login yet, and its tokens are not stored. @internal */
export interface AcceptedUser extends SignedInUser {
  /** The site's own user, and its id. */
  user: unknown;
  userKey: string;
  /** The id under which the tokens will be stored. */
  grantID: string;
  /** What the new session contains in addition. */
  data: object;
}

interface SignInParts {
  attempts: Pick<Attempts, 'take'>;
  server: Pick<AuthorizationServer, 'redeem'>;
  identification: Pick<Identification, 'identify'>;
  loginSession: SiteSession;
  tokens: Tokens;
  logins: Logins;
  signOut: SignOut;
  events: Events;
  clock: Clock;
  /** Sets `req.clinician` from the session. */
  requestState: { set(req: SessionRequest): void };
  onSignIn: OnSignIn<never>;
  /** By mode. */
  finishers: Readonly<Partial<Record<string, AttemptFinisher>>>;
}

/** Finishes login attempts. @internal */
export class SignIn {
  readonly #parts: SignInParts;

  constructor(parts: SignInParts) {
    this.#parts = parts;
  }

  /**
   * Finishes an attempt of the drop-in at the callback. Never throws: the result contains the error.
   * @param response the authorization response @param found see {@link Attempts.take}
   */
  async finish(
    req: SessionRequest,
    res: ServerResponse,
    response: URLSearchParams,
    found: Attempt | undefined,
  ): Promise<SignInResult> {
    let target: SignInTarget = { mode: 'page', returnTo: '/' };
    try {
      const attempt = this.#parts.attempts.take(req, res, response, found);
      target = { mode: attempt.appState.mode, returnTo: attempt.returnTo ?? '/' };
      await this.#complete(req, res, response, attempt);
      return target;
    } catch (error) {
      return { ...target, error };
    }
  }

  async #complete(
    req: SessionRequest,
    res: ServerResponse,
    response: URLSearchParams,
    attempt: Attempt,
  ): Promise<void> {
    const { mode } = attempt.appState;
    const { loginSession, finishers } = this.#parts;
    const finisher = finishers[mode];
    // Throws without a session, before the code is redeemed.
    loginSession.read(req);
    const signIn = async () => this.establish(req, res, await this.accept(req, response, attempt, 'session'));
    if (finisher) await finisher.finish(req, response, attempt);
    else if (mode !== 'silent') await signIn();
    // A silent sign-in never switches the user, and shows no error: the user requested nothing.
    else if (!loginSession.hasAny(req)) await signIn().catch(() => undefined);
  }

  /**
   * Redeems the response, identifies the user, and calls `onSignIn`. The session is unchanged. Throws a {@link DeniedError}
   * `user_changed` for another user than the one who is signed in. If it throws, the new tokens are revoked.
   */
  async accept(
    req: SessionRequest,
    response: URLSearchParams,
    attempt: Attempt,
    purpose: SignInPurpose,
  ): Promise<AcceptedUser> {
    const { server, identification, loginSession, tokens } = this.#parts;
    const { appState } = attempt;
    const redeemed = await server.redeem(response, attempt);
    try {
      const signedIn = await identification.identify(redeemed);
      const { identity } = signedIn;
      await refuseOtherUser(req, loginSession, purpose, appState, { identity });
      const decision = await this.#decide(req, signedIn, appState.siteState);
      // `onSignIn` may have changed the session, and shows the id of the site's own user.
      await refuseOtherUser(req, loginSession, purpose, appState, { identity, site: decision });
      return { ...signedIn, ...decision, grantID: await tokens.newGrantID() };
    } catch (error) {
      await tokens.revoke(redeemed);
      throw error;
    }
  }

  /**
   * Renews the session, stores the tokens with its id, and then saves it with the login, in place of the login before. If it
   * throws, the new tokens are revoked; once the session is renewed, no user is signed in.
   * @param logIn Passport's own call, if Passport signs the user in
   */
  async establish(
    req: SessionRequest,
    res: ServerResponse,
    accepted: AcceptedUser,
    logIn?: PassportCall,
  ): Promise<void> {
    const { loginSession, tokens, logins, signOut, requestState } = this.#parts;
    const { grantID, userKey } = accepted;
    const { sessionID } = req;
    const before = await this.#loginBefore(req, res, accepted);
    let login = this.#loginOf(accepted);
    try {
      login = await loginSession.renew(req, login, accepted, logIn);
      refuseSentResponse(res);
      await tokens.add({ grantID, userKey, sessionID: req.sessionID }, accepted.tokens);
      await loginSession.save(req, login);
      // The browser may not have the id of this session: it has received another response.
      refuseSentResponse(res);
    } catch (error) {
      const ended = before && signOut.discard(before, sessionID);
      await Promise.all([loginSession.abandon(req), tokens.discard(accepted, accepted.tokens), ended]);
      throw error;
    }
    logins.add(login, accepted.profile);
    this.#report(res, accepted);
    requestState.set(req);
    loginSession.mark(res);
    if (before) await signOut.discard(before, sessionID);
  }

  /** Leaves the tokens to the site, which has their grant id: no session contains the login. Throws if they are not stored. */
  async release(res: ServerResponse, accepted: AcceptedUser): Promise<void> {
    const { tokens } = this.#parts;
    try {
      await tokens.add(accepted, accepted.tokens);
    } catch (error) {
      await tokens.discard(accepted, accepted.tokens);
      throw error;
    }
    this.#report(res, accepted);
  }

  /** Revokes the tokens of a user who does not sign in, and erases them. Never throws. */
  async discard(accepted: AcceptedUser): Promise<void> {
    await this.#parts.tokens.discard(accepted, accepted.tokens);
  }

  /** Calls `onSignIn`. */
  async #decide(
    req: SessionRequest,
    { identity, profile, tokens }: SignedInUser,
    state: unknown,
  ): Promise<Pick<AcceptedUser, 'user' | 'userKey' | 'data'>> {
    const { loginSession, onSignIn } = this.#parts;
    const isOwn = ownsSession(req, loginSession, identity);
    const { previousSession, carryOver, carried } = createCarryOver(req, isOwn);
    const event = {
      ...{ identity, profile, tokens, req, state, previousSession, carryOver },
      // A getter, as in the `params`: a log that prints the event does not contain them.
      get claims() {
        return tokens.params.claims;
      },
    };
    const returned = await decisionOf('onSignIn', () => onSignIn(event as never));
    return { ...siteUser(returned, identity), data: carried };
  }

  /** @returns the login that a new one replaces. Throws, and revokes the new tokens, if the session must not be renewed. */
  async #loginBefore(
    req: SessionRequest,
    res: ServerResponse,
    accepted: AcceptedUser,
  ): Promise<SessionLogin | undefined> {
    try {
      refuseSentResponse(res);
      return this.#parts.loginSession.read(req);
    } catch (error) {
      await this.discard(accepted);
      throw error;
    }
  }

  #report(res: ServerResponse, { grantID, userKey, response, tokens: { scope } }: AcceptedUser): void {
    const { tokens, signOut, events } = this.#parts;
    if (response) tokens.cacheProfile(grantID, response);
    events.emit('signed_in', { userID: userKey, scope });
    // The user does not wait for the revocation of other logins, and a sign-in that fails ends none.
    finished(res, () => void signOut.limit(userKey));
  }

  /** @returns the login as the session contains it. */
  #loginOf({ grantID, userKey, identity, tokens }: AcceptedUser): SessionLogin {
    const { id, serviceID } = identity;
    const { scope, sessionState, authTime } = tokens;
    return {
      ...{ grantID, id, scope, since: this.#parts.clock.now() },
      ...(userKey !== id && { userKey }),
      ...(serviceID !== undefined && { serviceID }),
      ...(authTime !== undefined && { authenticatedAt: authTime }),
      ...(sessionState && { sessionState }),
    };
  }
}

/** Throws {@link responseSent} for a request that already has a response. */
export function refuseSentResponse({ headersSent }: ServerResponse): void {
  if (headersSent) throw responseSent();
}

/** @returns the error for a sign-in whose request already has a response, for example of a timeout of the site. */
export function responseSent(): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'session_unavailable',
    'The response was sent before the sign-in was complete, so the user is not signed in. Sign in again.',
  );
}
