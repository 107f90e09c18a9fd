import type { ServerResponse } from 'node:http';
import { setImmediate } from '../async/timers.js';
import { removeUser } from '../session/passport-user.js';
import type { SessionRequest, SiteSession } from '../session/site-session.js';
import { type AcceptedUser, refuseSentResponse, responseSent, type SignIn } from '../sign-in/sign-in.js';
import type { PassportStrategy } from './oauth2-strategy.js';
import { type PassportOutcome, passportOutcome } from './passport-errors.js';
import type { StrategyParts } from './strategy-options.js';

/** Passport's `req.logIn`, which is also `req.login`. */
type PassportLogIn = (user: unknown, options: LogInOptions | Next, done?: Next) => void;
type LogInOptions = { session?: boolean };
type Next = (error?: unknown) => void;

/**
 * Reports the outcome to Passport, or the error of its report: Passport cannot redirect if the response was already sent, for
 * example by a timeout of the site. @internal
 */
export async function reportOutcome(
  strategy: PassportStrategy,
  pending: Promise<PassportOutcome>,
  { events, look }: Pick<StrategyParts, 'events' | 'look'>,
): Promise<void> {
  const outcome = await pending.catch((error: unknown) => {
    events.emit('sign_in_failed', { error });
    return passportOutcome(error, look.texts);
  });
  try {
    report(strategy, outcome);
  } catch (cause) {
    try {
      strategy.error(cause);
    } catch {
      // A custom callback of the site throws for an error, too. No request remains that could receive it.
      events.warn({ code: 'site_error', message: 'A callback of passport.authenticate() threw an error.', cause });
    }
  }
}

function report(strategy: PassportStrategy, outcome: PassportOutcome): void {
  if ('redirect' in outcome) strategy.redirect(outcome.redirect);
  else if ('fail' in outcome) strategy.fail(outcome.fail, outcome.status);
  else if ('user' in outcome) strategy.success(outcome.user, outcome.info);
  else strategy.error(outcome.error);
}

/** Replaces `req.logIn()` and `req.login()` of one request until the first call. */
function replaceLogIn(
  req: SessionRequest,
  replace: (original: PassportLogIn, user: unknown, options: LogInOptions | undefined, done: Next) => void,
): void {
  const original = req.logIn as PassportLogIn | undefined;

  const logIn: PassportLogIn = (user, options, callback) => {
    const [settings, done = () => undefined] = typeof options === 'function' ? [{}, options] : [options, callback];
    if (original) Object.assign(req, { logIn: original, login: original });
    replace((...args) => original?.apply(req, args), user, settings, done);
  };
  Object.assign(req, { logIn, login: logIn });
}

/**
 * Makes the next `req.logIn()` of this request fail if it does not renew the session, or if the response is sent meanwhile.
 * @param revoke ends the tokens of a sign-in that fails
 * @internal
 */
export function checkLogIn(
  req: SessionRequest,
  res: ServerResponse,
  loginSession: Pick<SiteSession, 'refuseOldSession'>,
  revoke: () => Promise<void>,
): void {
  replaceLogIn(req, (logIn, user, options, done) => {
    const { sessionID } = req;
    const check = async () => {
      if (options?.session !== false && req.sessionID === sessionID) await loginSession.refuseOldSession(req);
      refuseSentResponse(res);
    };
    logIn(user, options ?? {}, (failure) => {
      const checked = failure ? Promise.reject(failure) : check();
      const revoked = checked.catch(async (error: unknown) => {
        // express-session saves the session again at the end of the response.
        if (options?.session !== false) removeUser(req);
        await revoke();
        throw error;
      });
      settle(revoked, done);
    });
  });
}

/** Calls `done` outside the promise: what a handler of the site throws is an uncaught exception, as it is with Passport. */
function settle(promise: Promise<void>, done: Next): void {
  promise.then(
    () => setImmediate(done),
    (error: unknown) => setImmediate(done, error),
  );
}

/**
 * @param returnTo the page that the sign-in was started for
 * @returns the outcome. Passport's next `req.logIn()` then writes `returnTo` to the session, from which Passport reads and removes it
 * @internal
 */
export async function returningAtLogIn(
  pending: Promise<PassportOutcome>,
  req: SessionRequest,
  returnTo: string,
): Promise<PassportOutcome> {
  const outcome = await pending;
  if (!('user' in outcome)) return outcome;
  replaceLogIn(req, (logIn, user, options, done) =>
    logIn(user, options ?? {}, (error) => {
      if (!error && req.session) Object.assign(req.session, { returnTo });
      done(error);
    }),
  );
  return outcome;
}

/**
 * Makes the next `req.logIn()` of this request establish the login: Passport, or a custom callback of the site, calls it, and
 * Passport regenerates the session in it. If the request ends without that call, the tokens are revoked.
 * @internal
 */
export async function establishAtLogIn(
  req: SessionRequest,
  res: ServerResponse,
  signIn: Pick<SignIn, 'discard' | 'establish' | 'release'>,
  accepted: AcceptedUser,
): Promise<void> {
  let isOpen = true;

  // The event that would end the login has passed.
  if (res.headersSent) await signIn.discard(accepted);
  refuseSentResponse(res);
  replaceLogIn(req, (original, user, options, done) => {
    const logIn = (next: Next) => original(user, options ?? {}, next);
    if (!isOpen) {
      setImmediate(done, responseSent());
      return;
    }
    isOpen = false;
    if (options?.session !== false) {
      settle(signIn.establish(req, res, accepted, logIn), done);
      return;
    }
    const released = signIn.release(res, accepted);
    logIn((error) => settle(error ? Promise.reject(error) : released, done));
  });
  res.once('close', () => {
    if (isOpen) void signIn.discard(accepted);
    isOpen = false;
  });
}
