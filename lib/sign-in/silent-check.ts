import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { SignInRequiredError } from '../errors/errors.js';
import { codeOf } from '../events/event-table.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionLogin } from '../session/logins.js';
import type { SignOut } from '../session/sign-out.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import type { Attempt } from './attempts.js';
import type { AttemptState, LoginOptions } from './login-request.js';

interface SilentCheckParts {
  server: Pick<AuthorizationServer, 'redeem'>;
  loginSession: LoginSession;
  tokens: Tokens;
  signOut: SignOut;
}

/** The options of a silent check. Scope `openid` is enough to identify the user. */
export const silentCheckOptions: LoginOptions = { prompt: 'none', scope: ['openid'] };

/** @returns the attempt of a silent check of this login. */
export function silentCheckOf({ grantID }: SessionLogin): AttemptState {
  return { mode: 'check', owner: 'drop-in', grantID };
}

/** The errors after which the user of the login may no longer be signed in at the service (OIDC Core section 3.1.2.6). */
const SIGNED_OUT: ReadonlySet<string> = new Set([
  'login_required',
  'interaction_required',
  'account_selection_required',
  'consent_required',
]);

/**
 * Checks which user is signed in at the service after its session has changed (OIDC Session Management 1.0 section 3.1). The login
 * here continues for the same user, and ends for no user and for another one. The tokens of the check itself are revoked.
 * A check that fails ends no login. Throws a {@link SignInRequiredError} for another user.
 */
export async function checkSilently(
  parts: SilentCheckParts,
  req: SessionRequest,
  response: URLSearchParams,
  attempt: Attempt,
): Promise<void> {
  const { server, tokens } = parts;
  const { grantID } = attempt.appState;
  let found: TokenSet | undefined;
  try {
    found = await server.redeem(response, attempt);
  } catch (error) {
    if (!SIGNED_OUT.has(codeOf(error))) return;
  }
  if (found) await tokens.revoke(found);
  // A session store that is unavailable ends no login: the session can be checked again.
  const hasEnded = await compare(found, parts, req, grantID).catch(() => false);
  if (hasEnded && found) {
    throw new SignInRequiredError(
      'sign_in_required',
      'Another user is signed in at the sign-in service. You were signed out here: sign in again.',
    );
  }
}

/** @returns true when it ended the login. */
async function compare(
  found: TokenSet | undefined,
  { loginSession, signOut }: SilentCheckParts,
  req: SessionRequest,
  grantID: string | undefined,
): Promise<boolean> {
  await loginSession.reload(req);
  const before = loginSession.read(req);
  // The result of a check that another login started says nothing about this one.
  if (!before || before.grantID !== grantID) return false;
  if (found?.subject !== before.id) {
    await signOut.eraseSession(req);
    return true;
  }
  const { sessionState } = found;
  // Without a new session_state the frame of the service reports the same change again: the time of this check remains.
  if (sessionState === undefined || sessionState === before.sessionState) return false;
  await loginSession.save(req, { ...before, sessionState, checkStartedAt: 0 });
  return false;
}
