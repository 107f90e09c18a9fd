import { setImmediate } from '../async/timers.js';
import type { PassportCall, SessionRequest } from '../session/site-session.js';
import { responseSent } from '../sign-in/sign-in.js';

type Next = (error?: unknown) => void;
type LogInOptions = { session?: boolean };
/** Passport's `req.logIn`, which is also `req.login`. */
type LogIn = (user: unknown, options: LogInOptions | Next | undefined, done?: Next) => void;

/** A login that the site has accepted, until `req.logIn()`. @internal */
export interface OpenLogin {
  /** Signs the user in. If that fails, the tokens are revoked. @param logIn Passport's own call, which renews the session */
  establish(logIn: PassportCall): Promise<void>;
  /** Leaves the tokens to the site: no session contains the login. */
  release(): Promise<void>;
  discard(): Promise<void>;
  /** True if the tokens are revoked when the request ends without `req.logIn()`: the site has no copy of them. */
  readonly endsWithRequest: boolean;
}

/**
 * Wraps the next `req.logIn()` of this request, which Passport or a custom callback of the site calls: Passport renews the session
 * in it, and has no hook after it.
 * @param returnTo written to the session, from which Passport's `successReturnToOrRedirect` reads and removes it
 * @internal
 */
export function wrapLogIn(req: SessionRequest, login: OpenLogin, returnTo: string | undefined): void {
  const original = req.logIn as LogIn | undefined;
  let isOpen = true;

  const logIn: LogIn = (user, options, callback) => {
    const [settings = {}, given] = typeof options === 'function' ? [{}, options] : [options, callback];
    // Passport throws: the site would respond before the user is signed in.
    if (!given && settings.session !== false) return original?.call(req, user, settings);
    const done = given ?? (() => undefined);
    Object.assign(req, { logIn: original, login: original });
    if (!isOpen) return void setImmediate(done, responseSent());
    isOpen = false;
    const call = (next: Next) => original?.call(req, user, settings, next);
    if (settings.session === false) {
      const released = login.release();
      return call((error) => settle(error ? Promise.reject(error) : released, done));
    }
    const established = login.establish(call).then(() => {
      if (returnTo !== undefined && req.session) Object.assign(req.session, { returnTo });
    });
    settle(established, done);
  };
  // Passport 0.5 has none without `passport.initialize()`.
  if (original) Object.assign(req, { logIn, login: logIn });
  if (!login.endsWithRequest) return;
  req.res?.once('close', () => {
    if (isOpen) void login.discard();
    isOpen = false;
  });
}

/** Calls `done` outside the promise: what a handler of the site throws is an uncaught exception, as it is with Passport. */
function settle(promise: Promise<void>, done: Next): void {
  promise.then(
    () => setImmediate(done),
    (error: unknown) => setImmediate(done, error),
  );
}
