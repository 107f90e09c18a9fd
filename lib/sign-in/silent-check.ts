import type { Transaction } from '../authorization-server/authorization-request.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { codeOf } from '../events.js';
import type { SilentOutcome } from '../html/session-check-page.js';
import type { SignOut } from '../session/sign-out.js';
import { loginOf, reloadSession, type SessionRequest, saveSession, sessionOf } from '../session/site-session.js';
import type { TokenManager } from '../session/token-manager.js';
import type { Login } from './login.js';

/** Holds the result of a silent check. @internal */
export interface SilentCheck {
  outcome: SilentOutcome;
  sessionState?: string | undefined;
}

/**
 * Checks which user is signed in at the service after its session has changed (OIDC Session Management 1.0 section 3.1). The login
 * here continues for the same user and ends for another one. The tokens of the check itself are revoked.
 * Never throws: a check that fails ends no login.
 */
export async function checkSilently(
  { login, tokens, signOut }: { login: Login; tokens: TokenManager; signOut: SignOut },
  req: SessionRequest,
  transaction: Transaction,
): Promise<SilentCheck> {
  let found: TokenSet;
  try {
    found = await login.redeem(req, transaction);
  } catch (error) {
    return { outcome: codeOf(error) === 'login_required' ? 'login_required' : 'error' };
  }
  await tokens.revoke(found);
  try {
    return await compare(found, signOut, req);
  } catch {
    // A session store that is unavailable ends no login. The page can check again.
    return { outcome: 'error' };
  }
}

async function compare(found: TokenSet, signOut: SignOut, req: SessionRequest): Promise<SilentCheck> {
  // Without an ID Token the user is unknown: no reason to end a login.
  if (found.subject === undefined) return { outcome: 'error' };
  await reloadSession(req);
  const before = loginOf(req);
  if (!before) return { outcome: 'ended' };
  if (found.subject !== before.identity.id) {
    await signOut.endSession(req);
    return { outcome: 'ended' };
  }
  const { sessionState } = found;
  if (sessionState !== undefined) {
    sessionOf(req).clinician = { ...before, sessionState };
    await saveSession(req);
  }
  return { outcome: 'same', sessionState };
}
