import type { TokenSet } from '../authorization-server/token-set.js';
import type { Transaction } from '../authorization-server/transaction.js';
import { codeOf } from '../events.js';
import type { SilentOutcome } from '../html/session-check-page.js';
import { reloadSession, saveSession, sessionOf } from '../session/site-session.js';
import type { TokenManager } from '../session/token-manager.js';
import type { SiteRequest } from '../session/types.js';
import type { Login } from './login.js';

/** What a silent check found out. @internal */
export interface SilentCheck {
  outcome: SilentOutcome;
  sessionState?: string | undefined;
}

/**
 * Looks at who is signed in at the service, after its session has changed (OIDC Session Management 1.0 section 3.1). The login here
 * goes on with the tokens it has when it is the same person, and ends when it is another one. What was granted for the look
 * alone is revoked. Never throws: a check that fails signs nobody out.
 */
export async function checkSilently(
  { login, tokens: kept, end }: { login: Login; tokens: TokenManager; end(req: SiteRequest): Promise<unknown> },
  req: SiteRequest,
  transaction: Transaction,
): Promise<SilentCheck> {
  let found: TokenSet;
  try {
    found = await login.redeem(req, transaction);
  } catch (error) {
    return { outcome: codeOf(error) === 'login_required' ? 'login_required' : 'error' };
  }
  await kept.revoke(found);
  try {
    return await compare(found, end, req);
  } catch {
    // A session store that is down signs nobody out; the page that asked may ask again.
    return { outcome: 'error' };
  }
}

async function compare(
  found: TokenSet,
  end: (req: SiteRequest) => Promise<unknown>,
  req: SiteRequest,
): Promise<SilentCheck> {
  // Without an ID Token nobody can tell who that was: no reason to end anything.
  if (found.subject === undefined) return { outcome: 'error' };
  await reloadSession(req);
  const before = sessionOf(req).clinician;
  if (!before) return { outcome: 'ended' };
  if (found.subject !== before.identity.id) {
    await end(req);
    return { outcome: 'ended' };
  }
  const { sessionState } = found;
  if (sessionState !== undefined) {
    sessionOf(req).clinician = { ...before, sessionState };
    await saveSession(req);
  }
  return { outcome: 'same', sessionState };
}
