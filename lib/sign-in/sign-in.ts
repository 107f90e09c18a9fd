import type { ServerResponse } from 'node:http';
import type { Transaction } from '../authorization-server/authorization-request.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Clock } from '../clock.js';
import { ConfigurationError, DeniedError } from '../errors.js';
import type { Events } from '../events.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import type { ClinicianIdentity, Logins } from '../session/logins.js';
import type { SessionLoss } from '../session/session-loss.js';
import type { SignOut } from '../session/sign-out.js';
import { establishLogin, loginOf, type SessionRequest } from '../session/site-session.js';
import type { TokenManager } from '../session/token-manager.js';
import type { Login } from './login.js';
import { modeOf, type SignInAttempt, type SignInMode } from './login-request.js';
import { checkSilently } from './silent-check.js';

const DENIAL = Symbol.for('passport-clinician.denial');

/** Holds the site's denial of a sign-in; see {@link deny}. */
export interface Denial {
  readonly denied: string;
}

/** @returns a denial for `onSignIn` to return. @param reason shown to the user */
export function deny(reason: string): Denial {
  return Object.defineProperty({ denied: reason }, DENIAL, { value: true });
}

/** Holds the argument of `onSignIn`. */
export interface SignInEvent<Req = unknown> {
  identity: ClinicianIdentity;
  /** Absent unless scope `basic` was granted. */
  profile: ClinicianProfile | undefined;
  /** Tokens never print: see {@link Secret}. */
  tokens: TokenSet;
  req: Req;
}

/** Maps the clinician who signed in to the site's own user, or denies the sign-in with {@link deny}. */
export type OnSignIn<Req = unknown> = (event: SignInEvent<Req>) => unknown;

/** @returns the user that `onSignIn` returned, and the site's id of that user. Throws for a denial. */
function siteUser(returned: unknown, identity: ClinicianIdentity): { user: object; userKey: string } {
  if (returned instanceof Error) throw returned;
  if (returned === false || returned === null)
    throw new DeniedError('sign_in_refused', 'This site denied your sign-in.');
  if (typeof returned !== 'object') {
    throw new ConfigurationError(
      'user_missing',
      'passport-clinician: onSignIn must return the user as an object, or deny(reason).',
    );
  }
  if (Object.hasOwn(returned, DENIAL)) throw new DeniedError('sign_in_refused', String((returned as Denial).denied));
  return { user: returned, userKey: userKeyOf(returned, identity) };
}

/** Returns the site's own id of the user: the argument of `forget(userID)`. */
function userKeyOf(user: { id?: unknown }, identity: ClinicianIdentity): string {
  const { id = identity.id } = user;
  if ((typeof id === 'string' && id !== '') || typeof id === 'number' || typeof id === 'bigint') return String(id);
  throw new ConfigurationError(
    'user_id_invalid',
    "passport-clinician: the 'id' of the user that onSignIn returned must be a string or a number. Leave it out to use the service's id.",
  );
}

/** Holds the result of a login attempt. @internal */
export interface SignInResult extends SignInAttempt {
  /** Present where the sign-in failed. A silent one fails without an error. */
  error?: unknown;
}

/** Finishes a login attempt at the callback. Never throws: the result contains the error. @internal */
export type FinishSignIn = (req: SessionRequest, res: ServerResponse) => Promise<SignInResult>;

export interface SignInOptions {
  login: Login;
  tokens: TokenManager;
  logins: Logins;
  signOut: SignOut;
  sessionLoss: SessionLoss;
  events: Events;
  onSignIn: OnSignIn<never>;
  clock: Clock;
}

export function createSignIn(options: SignInOptions): FinishSignIn {
  const { login, tokens, logins, signOut, sessionLoss, events, onSignIn, clock } = options;

  /** Stores the tokens and signs the user in, in place of the user who was signed in before. */
  async function signIn(req: SessionRequest, tokenSet: TokenSet): Promise<void> {
    const { identity, profile, response } = await login.identify(tokenSet);
    const returned = await onSignIn({ identity, profile, tokens: tokenSet, req } as never);
    const { user, userKey } = siteUser(returned, identity);
    const before = loginOf(req);
    const grantID = await tokens.vault.put(userKey, tokenSet);
    const { scope, sessionState } = tokenSet;
    const since = clock.now();
    const established = { grantID, userKey, since, identity, scope, ...(sessionState && { sessionState }) };
    try {
      await establishLogin(req, established, user);
    } catch (error) {
      await tokens.vault.forget(grantID);
      throw error;
    }
    await tokens.setSession(grantID, userKey, req.sessionID);
    if (response) tokens.cacheProfile(grantID, response);
    logins.add(established, profile);
    events.emit('signed_in', { userID: userKey, scope });
    if (before) await signOut.discard(before);
  }

  async function redeemAndSignIn(req: SessionRequest, res: ServerResponse, transaction: Transaction): Promise<void> {
    const tokenSet = await login.redeem(req, transaction);
    try {
      await signIn(req, tokenSet);
      sessionLoss.mark(res);
    } catch (error) {
      await tokens.revoke(tokenSet);
      throw error;
    }
  }

  async function completeAttempt(
    req: SessionRequest,
    res: ServerResponse,
    transaction: Transaction,
    mode: SignInMode,
  ): Promise<void> {
    const isSignedIn = loginOf(req) !== undefined;
    if (mode === 'check') await checkSilently({ login, tokens, signOut }, req, transaction);
    else if (mode !== 'silent') await redeemAndSignIn(req, res, transaction);
    // A silent sign-in never switches the user, and shows no error: the user requested nothing.
    else if (!isSignedIn) await redeemAndSignIn(req, res, transaction).catch(() => undefined);
  }

  return async function finishSignIn(req, res) {
    let attempt: SignInAttempt = { mode: 'page', returnTo: '/' };
    try {
      const transaction = login.consumeTransaction(req, res);
      attempt = { mode: modeOf(transaction.appState), returnTo: transaction.returnTo ?? '/' };
      await completeAttempt(req, res, transaction, attempt.mode);
      return attempt;
    } catch (error) {
      return { ...attempt, error };
    }
  };
}
