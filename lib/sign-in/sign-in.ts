import type { ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import type { Transaction } from '../authorization-server/authorization-request.js';
import type { FlowName } from '../authorization-server/flows.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Clock } from '../clock.js';
import { ServiceUnavailableError } from '../errors.js';
import type { Events } from '../events.js';
import type { LoginSession, PassportCall } from '../session/login-session.js';
import type { Logins, SessionLogin } from '../session/logins.js';
import type { SessionLoss } from '../session/session-loss.js';
import type { SignOut } from '../session/sign-out.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import type { VaultGrant } from '../token-vault/grant-records.js';
import { trace } from '../tracing.js';
import { createCarryOver } from './carry-over.js';
import type { SignedInUser } from './identify.js';
import { attemptIn, type Login } from './login.js';
import type { SignInMode } from './login-request.js';
import { checkSilently } from './silent-check.js';
import { type OnSignIn, siteUser } from './site-user.js';
import { assertSameUser, isOtherUser, ownsSession } from './user-change.js';

/** Returns the error for a sign-in whose request already has a response, for example of a timeout of the site. */
export function responseSent(): ServiceUnavailableError {
  return new ServiceUnavailableError(
    'session_unavailable',
    'The response was sent before the sign-in was complete, so the user is not signed in. Sign in again.',
  );
}

/** Holds a login attempt, for the response that ends it. @internal */
export interface SignInAttempt {
  mode: SignInMode;
  /** The path to redirect to after the login. */
  returnTo: string;
}

/** Holds the result of a login attempt. @internal */
export interface SignInResult extends SignInAttempt {
  /** Present where the sign-in failed. A silent one fails without an error. */
  error?: unknown;
}

/** Holds a user who has signed in at the service, and whose login no session contains yet. @internal */
export interface PendingLogin {
  /** The site's own user. */
  user: object;
  grantID: string;
  returnTo: string | undefined;
  /** The option `state` of the login. */
  siteState: unknown;
  /**
   * Writes the login into the session, in place of the login before, whose tokens are revoked. Where it fails, the tokens are
   * erased and revoked. @param logIn Passport's own call, where Passport signs the user in
   */
  establish(req: SessionRequest, res: ServerResponse, logIn?: PassportCall): Promise<void>;
  /** Leaves the tokens to the site, which has their grant id: no session contains the login. */
  release(res: ServerResponse): void;
  /** Erases and revokes the tokens. Never throws. */
  discard(): Promise<void>;
}

/** Finishes login attempts. @internal */
export interface SignIn {
  /** Finishes an attempt of the drop-in at the callback. Never throws: the result contains the error. */
  finish(req: SessionRequest, res: ServerResponse): Promise<SignInResult>;
  /**
   * Redeems the response, identifies the user, calls `onSignIn` and stores the tokens. The session is unchanged. Throws a {@link
   * UserChangeError} where the login would replace another user. @param inSession false where it is not for the session
   */
  prepare(req: SessionRequest, res: ServerResponse, inSession: boolean): Promise<PendingLogin>;
}

interface SignInOptions {
  flow: FlowName;
  login: Login;
  loginSession: LoginSession;
  tokens: Tokens;
  logins: Logins;
  signOut: SignOut;
  sessionLoss: SessionLoss;
  events: Events;
  onSignIn: OnSignIn<never>;
  clock: Clock;
  /** See `createBrowserID()`. */
  browserID(req: SessionRequest, res: ServerResponse): string;
  /** Sets `req.clinician` from the session. */
  requestState: { set(req: SessionRequest): void };
}

export function createSignIn(options: SignInOptions): SignIn {
  const { login, loginSession, tokens, logins, signOut, sessionLoss } = options;
  const { flow, events, onSignIn, clock, browserID, requestState } = options;

  async function redeem(req: SessionRequest, transaction: Transaction, inSession: boolean): Promise<PendingLogin> {
    const tokenSet = await login.redeem(req, transaction);
    try {
      return await storeTokens(req, transaction, tokenSet, inSession);
    } catch (error) {
      await tokens.revoke(tokenSet);
      throw error;
    }
  }

  /** Identifies the user, calls `onSignIn` and stores the tokens. */
  async function storeTokens(
    req: SessionRequest,
    transaction: Transaction,
    redeemed: TokenSet,
    inSession: boolean,
  ): Promise<PendingLogin> {
    const signedIn = await login.identify(redeemed);
    const { identity, profile, tokens: tokenSet } = signedIn;
    if (inSession) await assertSameUser(loginSession, req, transaction, signedIn);
    const isOwn = ownsSession(loginSession, req, identity);
    const { previousSession, carryOver, carried } = createCarryOver(req, isOwn);
    const { siteState: state } = attemptIn(transaction);
    const event = { identity, profile, tokens: tokenSet, req, state, previousSession, carryOver };
    const returned = await onSignIn(event as never);
    const { user, userKey } = siteUser(returned, identity);
    const found = { identity, profile, site: { user, userKey } };
    if (inSession) await assertSameUser(loginSession, req, transaction, found);
    const data = inSession && !(await isOtherUser(loginSession, req, found)) ? carried : {};
    const grant = await tokens.add(userKey, tokenSet);
    return {
      user,
      returnTo: transaction.returnTo,
      siteState: state,
      ...pendingLogin(signedIn, { user, data }, grant),
    };
  }

  /** Returns what can be done with a login whose tokens are stored. */
  function pendingLogin(
    { identity, profile, response, tokens: tokenSet }: SignedInUser,
    session: { user: object; data: object },
    grant: VaultGrant,
  ): Pick<PendingLogin, 'grantID' | 'establish' | 'release' | 'discard'> {
    const { id: grantID, userKey } = grant;
    const { scope, sessionState, authTime } = tokenSet;

    function release(res: ServerResponse): void {
      if (response) tokens.cacheProfile(grantID, response);
      events.emit('signed_in', { userID: userKey, scope });
      // The user does not wait for the revocation of other logins, and a sign-in that fails ends none.
      finished(res, () => void tokens.limitLogins(userKey));
    }

    async function discard(): Promise<void> {
      // The tokens are revoked in any case. A record that cannot be erased expires.
      await tokens.vault.forget(grantID).catch(() => undefined);
      logins.end(grantID);
      await tokens.revoke(tokenSet, userKey);
    }

    async function establish(req: SessionRequest, res: ServerResponse, logIn?: PassportCall): Promise<void> {
      const entry = {
        ...{ grantID, userKey, identity, scope, since: clock.now(), browser: browserID(req, res) },
        ...(authTime !== undefined && { authenticatedAt: authTime }),
        ...(sessionState && { sessionState }),
      };
      let before: SessionLogin | undefined;
      const { sessionID } = req;
      try {
        before = loginSession.read(req);
        if (res.headersSent) throw responseSent();
        await loginSession.establish(req, entry, session, logIn);
      } catch (error) {
        await discard();
        throw error;
      }
      if (res.headersSent) {
        // The browser may not have the id of this session: it has received another response.
        await Promise.allSettled([discard(), loginSession.end(req), before && signOut.discard(before, sessionID)]);
        throw responseSent();
      }
      const isStored = await tokens.setSession(grant, req);
      logins.add(loginSession.read(req) ?? entry, profile, isStored);
      release(res);
      requestState.set(req);
      sessionLoss.mark(res, grantID);
      if (before) await signOut.discard(before, sessionID, tokenSet);
    }

    return { grantID, establish, release, discard };
  }

  async function redeemAndSignIn(req: SessionRequest, res: ServerResponse, transaction: Transaction): Promise<void> {
    const pending = await redeem(req, transaction, true);
    await pending.establish(req, res);
  }

  async function completeAttempt(
    req: SessionRequest,
    res: ServerResponse,
    transaction: Transaction,
    mode: SignInMode,
  ): Promise<void> {
    const isSignedIn = loginSession.read(req) !== undefined;
    if (mode === 'check') await checkSilently({ login, loginSession, tokens, signOut }, req, transaction);
    else if (mode !== 'silent') await redeemAndSignIn(req, res, transaction);
    // A silent sign-in never switches the user, and shows no error: the user requested nothing.
    else if (!isSignedIn) await redeemAndSignIn(req, res, transaction).catch(() => undefined);
  }

  return {
    async finish(req, res) {
      let attempt: SignInAttempt = { mode: 'page', returnTo: '/' };
      try {
        const transaction = login.consumeTransaction(req, res);
        attempt = { mode: attemptIn(transaction).mode, returnTo: transaction.returnTo ?? '/' };
        const { mode } = attempt;
        await trace('sign-in', { flow, kind: mode }, () => completeAttempt(req, res, transaction, mode));
        return attempt;
      } catch (error) {
        return { ...attempt, error };
      }
    },

    async prepare(req, res, inSession) {
      const transaction = login.consumeTransaction(req, res);
      return await trace('sign-in', { flow, kind: attemptIn(transaction).mode }, () =>
        redeem(req, transaction, inSession),
      );
    },
  };
}
