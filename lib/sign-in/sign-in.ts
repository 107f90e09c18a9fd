import type { ServerResponse } from 'node:http';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Clock } from '../clock.js';
import { ConfigurationError, DeniedError } from '../errors.js';
import type { Events } from '../events.js';
import { cacheSlot } from '../resource-api/conditional-cache.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import type { ActiveLogins } from '../session/active-logins.js';
import type { SessionLoss } from '../session/session-loss.js';
import { destroySession, establishLogin, sessionOf } from '../session/site-session.js';
import type { TokenManager } from '../session/token-manager.js';
import type { ClinicianIdentity, SessionLogin, SiteRequest } from '../session/types.js';
import type { Verifications } from '../session/verification.js';
import type { Login } from './login.js';
import { modeOf, type SignInMode } from './sign-in-mode.js';
import { checkSilently, type SilentCheck } from './silent-check.js';

const DENIAL = Symbol.for('passport-clinician.denial');

/** The site's own refusal of somebody who signed in; see {@link deny}. */
export interface Denial {
  readonly denied: string;
}

/** @returns what `onSignIn` answers to refuse somebody, with the words to show them. */
export function deny(reason: string): Denial {
  return Object.defineProperty({ denied: reason }, DENIAL, { value: true });
}

/** What `onSignIn` is told. `profile` is there when scope `basic` was granted; the tokens never print. */
export interface SignInEvent<Req = unknown> {
  identity: ClinicianIdentity;
  profile: ClinicianProfile | undefined;
  tokens: TokenSet;
  req: Req;
}

/** Maps whoever signed in to the site's own user, or refuses them by {@link deny}. */
export type OnSignIn<Req = unknown> = (event: SignInEvent<Req>) => unknown;

/** How a login ended. @internal */
export interface SignInResult {
  /** The path to go on to. */
  returnTo: string;
  way: SignInMode;
  /** What it found out, where it was a session check. */
  check?: SilentCheck;
}

/** What a login does to the site: its session, its token vault. @internal */
export interface SignIn {
  /** Ends a login at the callback. */
  finish(req: SiteRequest, res: ServerResponse): Promise<SignInResult>;
  /** Revokes and erases a login that nobody has any more. Never throws. */
  retire(login: SessionLogin): Promise<TokenSet | undefined>;
  /** Signs out here, and revokes what was granted. @returns the tokens of the login that ended. */
  end(req: SiteRequest): Promise<TokenSet | undefined>;
  /** Revokes and erases everything of the person, on every session, and signs out here. */
  forget(req: SiteRequest): Promise<void>;
  /** @returns where the login that this request belongs to wanted to go, as far as it is known. */
  returnToOf(req: SiteRequest): string;
  /** @returns the way that the login that this request belongs to goes, as far as it is known. */
  wayOf(req: SiteRequest): SignInMode;
}

function siteUser(answer: unknown): object {
  if (answer instanceof Error) throw answer;
  if (typeof answer === 'object' && answer !== null) {
    if (!Object.hasOwn(answer, DENIAL)) return answer;
    throw new DeniedError('sign_in_refused', String((answer as Denial).denied));
  }
  if (answer === false || answer === null) throw new DeniedError('sign_in_refused', 'This site does not let you in.');
  throw new ConfigurationError(
    'user_missing',
    'passport-clinician: onSignIn must return the user as an object, or deny(reason).',
  );
}

/** The site's own id of the user: what `forget(userID)` finds them by. */
function userKeyOf(user: { id?: unknown }, identity: ClinicianIdentity): string {
  const { id = identity.id } = user;
  if ((typeof id === 'string' && id !== '') || typeof id === 'number' || typeof id === 'bigint') return String(id);
  throw new ConfigurationError(
    'user_id_invalid',
    "passport-clinician: the 'id' of the user that onSignIn returned must be a string or a number. Without one, the service's id is used.",
  );
}

export interface SignInOptions {
  login: Login;
  tokens: TokenManager;
  verifications: Verifications;
  logins: ActiveLogins;
  events: Events;
  keptSession: SessionLoss;
  onSignIn: OnSignIn<never>;
  clock: Clock;
}

export function createSignIn(options: SignInOptions): SignIn {
  const { login, tokens: kept, verifications, logins, events, keptSession, onSignIn, clock } = options;
  const wanted = new WeakMap<object, SignInResult>();

  async function admit(req: SiteRequest, tokens: TokenSet): Promise<void> {
    const answer = cacheSlot();
    const profile = login.mayReadProfile(tokens.scope)
      ? await login.readProfile(tokens.accessToken.reveal(), answer)
      : undefined;
    const identity = login.identify(tokens, profile);
    const user = siteUser(await onSignIn({ identity, profile, tokens, req } as never));
    const before = sessionOf(req).clinician;
    const userKey = userKeyOf(user, identity);
    const grantID = await kept.vault.put(userKey, tokens);
    const { scope, sessionState } = tokens;
    const established = {
      grantID,
      userKey,
      since: clock.now(),
      identity,
      scope,
      ...(sessionState && { sessionState }),
    };
    try {
      await establishLogin(req, established, user);
    } catch (error) {
      await kept.vault.forget(grantID);
      throw error;
    }
    const read = answer.read();
    if (read) kept.cacheProfile(grantID, read);
    logins.add(established);
    verifications.remember(grantID, profile);
    events.emit('signed_in', { userID: userKey, scope: tokens.scope });
    if (before) await retireQuietly(before);
  }

  /** A token store that is down keeps nobody signed in, and spoils no new login: what it still holds ends by itself. */
  async function retireQuietly({ grantID, userKey }: SessionLogin): Promise<TokenSet | undefined> {
    try {
      return await kept.revokeAndDelete(grantID, userKey);
    } catch {
      logins.end(grantID);
      events.emit('erasure_failed', { userID: userKey, code: 'erasure_failed' });
      events.warn({
        code: 'erasure_failed',
        message:
          'The tokens of a login that ended could not be erased from the token store; they expire by themselves.',
      });
      return undefined;
    }
  }

  async function end(req: SiteRequest): Promise<TokenSet | undefined> {
    const before = sessionOf(req).clinician;
    const ended = before && (await retireQuietly(before));
    await destroySession(req);
    if (before) events.emit('signed_out', { userID: before.userKey });
    return ended;
  }

  return {
    async finish(req, res) {
      const transaction = login.consumeTransaction(req, res);
      const finished: SignInResult = { returnTo: transaction.returnTo ?? '/', way: modeOf(transaction.appState) };
      wanted.set(req, finished);
      sessionOf(req);
      if (finished.way === 'check')
        return { ...finished, check: await checkSilently({ login, tokens: kept, end }, req, transaction) };
      // Nobody was asked, so nobody who is signed in here becomes somebody else.
      if (finished.way === 'silent' && sessionOf(req).clinician) return finished;
      let tokens: TokenSet;
      try {
        tokens = await login.redeem(req, transaction);
      } catch (error) {
        // Nobody was asked, so nobody is shown that it did not work.
        if (finished.way === 'silent') return finished;
        throw error;
      }
      try {
        await admit(req, tokens);
        keptSession.mark(res);
      } catch (error) {
        await kept.revoke(tokens);
        if (finished.way === 'silent') return finished;
        throw error;
      }
      return finished;
    },

    retire: retireQuietly,
    end,

    async forget(req) {
      const before = sessionOf(req).clinician;
      if (before) await kept.forgetUser(before.userKey);
      await destroySession(req);
    },

    returnToOf: (req) => wanted.get(req)?.returnTo ?? '/',
    wayOf: (req) => wanted.get(req)?.way ?? 'page',
  };
}
