import type { ServerResponse } from 'node:http';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Attempt, Attempts } from './attempts.js';
import type { Identification } from './identify.js';
import type { SignInMode } from './login-request.js';
import { PendingLogin, type PendingLoginParts } from './pending-login.js';
import { SessionUser, type SignInPurpose } from './session-user.js';
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
  returnTo(req: SessionRequest, returnTo: string): string;
  /** Shows that the user is signed in. */
  show(res: ServerResponse, returnTo: string): void;
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

interface SignInParts extends PendingLoginParts {
  identification: Pick<Identification, 'identify'>;
  attempts: Pick<Attempts, 'take'>;
  server: Pick<AuthorizationServer, 'redeem'>;
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

  /**
   * Redeems the response, identifies the user, calls `onSignIn` and stores the tokens. The session is unchanged. Throws a
   * {@link DeniedError} `user_changed` for another user than the one who is signed in.
   */
  prepare(
    req: SessionRequest,
    response: URLSearchParams,
    attempt: Attempt,
    purpose: SignInPurpose,
  ): Promise<PendingLogin> {
    return this.#redeem(req, response, attempt, purpose);
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
    const signIn = async () => (await this.#redeem(req, response, attempt, 'session')).establish(req, res);
    if (finisher) await finisher.finish(req, response, attempt);
    else if (mode !== 'silent') await signIn();
    // A silent sign-in never switches the user, and shows no error: the user requested nothing.
    else if (!loginSession.hasAny(req)) await signIn().catch(() => undefined);
  }

  async #redeem(
    req: SessionRequest,
    response: URLSearchParams,
    attempt: Attempt,
    purpose: SignInPurpose,
  ): Promise<PendingLogin> {
    const { server, tokens } = this.#parts;
    const tokenSet = await server.redeem(response, attempt);
    try {
      return await this.#store(req, attempt, tokenSet, purpose);
    } catch (error) {
      await tokens.revoke(tokenSet);
      throw error;
    }
  }

  /** Identifies the user, calls `onSignIn` and stores the tokens. */
  async #store(
    req: SessionRequest,
    attempt: Attempt,
    redeemed: TokenSet,
    purpose: SignInPurpose,
  ): Promise<PendingLogin> {
    const { loginSession, identification, tokens, onSignIn } = this.#parts;
    const signedIn = await identification.identify(redeemed);
    const { identity, profile, tokens: tokenSet } = signedIn;
    const before = new SessionUser(loginSession, req);
    await before.check(purpose, attempt, { identity });
    const { previousSession, carryOver, carried } = createCarryOver(req, before.ownsSession(identity));
    const { siteState: state } = attempt.appState;
    const event = {
      ...{ identity, profile, tokens: tokenSet, req, state, previousSession, carryOver },
      // A getter, as in the `params`: a log that prints the event does not contain them.
      get claims() {
        return tokenSet.params.claims;
      },
    };
    const { user, userKey } = siteUser(await decisionOf('onSignIn', () => onSignIn(event as never)), identity);
    // `onSignIn` may have changed the session, and shows the id of the site's own user.
    await new SessionUser(loginSession, req).check(purpose, attempt, { identity, site: { user, userKey } });
    const grant = await tokens.add(userKey, tokenSet);
    return new PendingLogin(this.#parts, signedIn, { user, grant, data: carried });
  }
}
