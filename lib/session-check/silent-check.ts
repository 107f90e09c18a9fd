import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { SignInRequiredError } from '../errors/errors.js';
import { codeOf } from '../events/events.js';
import type { SignOut } from '../session/sign-out.js';
import type { SiteSession } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import type { Visit } from '../session/visit.js';
import type { Attempt, Attempts } from '../sign-in/attempts.js';

interface SilentCheckOptions {
  attempts: Pick<Attempts, 'start'>;
  server: Pick<AuthorizationServer, 'redeem'>;
  session: Pick<SiteSession, 'reload' | 'save'>;
  tokens: Pick<Tokens, 'revoke'>;
  signOut: Pick<SignOut, 'endLoginOf'>;
}

/** The mode of the attempts of a check. @internal */
export const CHECK_MODE = 'check';

/** The errors after which the user of the login may no longer be signed in at the service (OIDC Core section 3.1.2.6). */
const SIGNED_OUT: ReadonlySet<string> = new Set([
  'login_required',
  'interaction_required',
  'account_selection_required',
  'consent_required',
]);

/**
 * Checks which user is signed in at the service after its session has changed (OIDC Session Management 1.0 section 3.1), with an
 * authorization request that shows no page. @internal
 */
export class SilentCheck {
  readonly #attempts: SilentCheckOptions['attempts'];
  readonly #server: SilentCheckOptions['server'];
  readonly #session: SilentCheckOptions['session'];
  readonly #tokens: SilentCheckOptions['tokens'];
  readonly #signOut: SilentCheckOptions['signOut'];

  constructor({ attempts, server, session, tokens, signOut }: SilentCheckOptions) {
    this.#attempts = attempts;
    this.#server = server;
    this.#session = session;
    this.#tokens = tokens;
    this.#signOut = signOut;
  }

  /** @returns the URL to redirect to. @param grantID of the login to check */
  start(visit: Visit, returnTo: string, grantID: string): Promise<string> {
    // Scope `openid` is enough to identify the user.
    const options = { prompt: 'none', scope: ['openid'], returnTo };
    return this.#attempts.start(visit, options, { mode: CHECK_MODE, siteState: grantID });
  }

  /**
   * The login continues for the same user, and ends for no user and for another one. The tokens of the check itself are revoked.
   * A check that fails ends no login. Throws a {@link SignInRequiredError} for another user.
   */
  async finish(visit: Visit, attempt: Attempt): Promise<void> {
    let found: TokenSet | undefined;
    try {
      found = await this.#server.redeem(visit.query, attempt);
    } catch (error) {
      if (!SIGNED_OUT.has(codeOf(error))) return;
    }
    if (found) await this.#tokens.revoke(found);
    // A session store that is unavailable ends no login: the session can be checked again.
    const hasEnded = await this.#compare(found, visit, attempt.appState.siteState).catch(() => false);
    if (hasEnded && found) {
      throw new SignInRequiredError(
        'sign_in_required',
        'Another user is signed in at the sign-in service. You were signed out here: sign in again.',
      );
    }
  }

  /** @returns true when it ended the login. */
  async #compare(found: TokenSet | undefined, visit: Visit, grantID: unknown): Promise<boolean> {
    await this.#session.reload(visit.req);
    const before = visit.login;
    // The result of a check that another login started says nothing about this one.
    if (!before || before.grantID !== grantID) return false;
    if (found?.subject !== before.id) {
      await this.#signOut.endLoginOf(visit);
      return true;
    }
    const { sessionState } = found;
    // Without a new session_state the frame of the service reports the same change again: the time of this check remains.
    if (sessionState === undefined || sessionState === before.sessionState) return false;
    await this.#session.save(visit.req, { ...before, sessionState, checkStartedAt: 0 });
    return false;
  }
}
