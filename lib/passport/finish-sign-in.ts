import type { ServerResponse } from 'node:http';
import type { TokenSet } from '../authorization-server/token-set.js';
import { TransactionError } from '../errors/errors.js';
import { defined } from '../http/json.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Attempt } from '../sign-in/attempts.js';
import type { SignedInUser } from '../sign-in/identify.js';
import { refuseOtherUser } from '../sign-in/same-user.js';
import { refuseSentResponse } from '../sign-in/sign-in.js';
import { decisionOf, userKeyOf } from '../sign-in/site-user.js';
import { isUserID } from '../token-vault/user-key.js';
import { type AuthenticateOptions, purposeOf } from './authenticate-options.js';
import type { PassportOutcome } from './passport-errors.js';
import { type PassportProfile, passportProfile } from './passport-profile.js';
import { checkLogIn } from './report-outcome.js';
import type { StrategyParts } from './strategy-options.js';
import { callVerify, VERIFY_PARAMETERS } from './verify.js';

/** Loads the profile of a user who has signed in. @internal */
export type ProfileLoader = (tokens: TokenSet) => Promise<PassportProfile>;

/** A request of the callback, which has an authorization response. */
interface Callback {
  req: SessionRequest;
  res: ServerResponse;
  /** Those of `passport.authenticate()`. */
  options: AuthenticateOptions;
  response: URLSearchParams;
  /** The attempt that the response belongs to. */
  found: Attempt | undefined;
  /** Absent if the profile is read as the drop-in reads it. */
  loadProfile: ProfileLoader | undefined;
}

/** Finishes a login attempt of the strategy, up to the call of Passport that signs the user in. @internal */
export async function finishSignIn(parts: StrategyParts, callback: Callback): Promise<PassportOutcome> {
  const { attempts, server, tokens } = parts;
  const { req, res, response, found } = callback;
  if (found && found.appState.mode !== 'passport') throw attemptOfDropIn();
  const attempt = attempts.take(req, res, response, found);
  const tokenSet = await server.redeem(response, attempt);
  let outcome: PassportOutcome | undefined;
  try {
    outcome = await signIn(parts, callback, attempt, tokenSet);
    return outcome;
  } finally {
    // The site has accepted no login with these tokens, so it does not revoke them later.
    if (!outcome || !('user' in outcome)) await tokens.revoke(tokenSet);
  }
}

async function signIn(
  parts: StrategyParts,
  callback: Callback,
  attempt: Attempt,
  redeemed: TokenSet,
): Promise<PassportOutcome> {
  const { verify, passReqToCallback, loginSession, events } = parts;
  const { req, res } = callback;
  const { shown, ...signedIn } = await identify(parts, redeemed, callback.loadProfile);
  const { identity, tokens } = signedIn;
  const purpose = purposeOf(callback.options);
  await refuseOtherUser(req, loginSession, purpose, attempt.appState, { identity });
  const call = { req, passReqToCallback, tokens, profile: shown };
  const { user, info } = await decisionOf('the verify function', () => callVerify(verify, call));
  if (user === false) return { fail: info };
  refuseSentResponse(res);
  const userKey = userKeyOf(user, identity.id, `the verify function ${VERIFY_PARAMETERS}`);
  // The verify function may have changed the session, and shows the id of the site's own user.
  await refuseOtherUser(req, loginSession, purpose, attempt.appState, { identity, site: { user, userKey } });
  checkLogIn(req, res, loginSession, () => parts.tokens.revoke(tokens));
  events.emit('signed_in', { userID: userKey, scope: tokens.scope });
  const { siteState: state } = attempt.appState;
  return { user, info: { ...defined({ state, returnTo: attempt.returnTo }), ...info } };
}

/** @returns the user with the profile that the verify function gets. */
async function identify(
  { identification, skipUserProfile, issuer }: StrategyParts,
  tokens: TokenSet,
  loadProfile: ProfileLoader | undefined,
): Promise<SignedInUser & { shown: PassportProfile | undefined }> {
  if (!skipUserProfile && !loadProfile) {
    const signedIn = await identification.identify(tokens);
    return { ...signedIn, shown: passportProfile(signedIn.identity, signedIn.profile) };
  }
  const shown = skipUserProfile ? undefined : await decisionOf('userProfile()', () => loadProfile?.(tokens));
  const id: unknown = tokens.subject ?? shown?.id;
  return { identity: { id: (isUserID(id) ? String(id) : undefined) as string, issuer }, tokens, shown };
}

/** @returns the error for a response to an attempt of the drop-in, for example a silent check, which signs no user in. */
function attemptOfDropIn(): TransactionError {
  return new TransactionError(
    'transaction_missing',
    'This sign-in was started by clinicianLogin(), which has the same callbackURL. Use clinician.strategy at that path.',
  );
}
