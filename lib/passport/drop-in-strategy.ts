import type { ServerResponse } from 'node:http';
import { ConfigurationError } from '../errors/errors.js';
import { defined } from '../http/json.js';
import type { SessionLoss } from '../session/browser-cookies.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import type { Attempt } from '../sign-in/attempts.js';
import { type LoginOptions, modeOf } from '../sign-in/login-request.js';
import { type PendingLogin, responseSent } from '../sign-in/pending-login.js';
import type { SignIn } from '../sign-in/sign-in.js';
import { type AuthenticateOptions, loginOptionsIn } from './authenticate-options.js';
import type { PassportOutcome } from './passport-errors.js';
import { type Next, replaceLogIn } from './report-outcome.js';
import { ClinicianStrategy, responseOf } from './strategy.js';
import { BoundParts, type StrategyParts } from './strategy-options.js';

/** Finishes an attempt of the strategy. */
type Finish = (response: URLSearchParams, attempt: Attempt | undefined) => void;

/** The parts of the drop-in that its strategy uses. @internal */
export interface DropIn extends Omit<StrategyParts, 'verify' | 'passReqToCallback' | 'skipUserProfile'> {
  signIn: Pick<SignIn, 'prepare'>;
  sessionLoss: Pick<SessionLoss, 'detect'>;
  loginRoute: {
    /** Starts the login of a link that the drop-in finishes. */
    handle(req: SessionRequest, res: ServerResponse, next: Next, overrides: LoginOptions): Promise<void>;
    /** Throws where a route is left out that `responseMode: 'fragment'` needs. */
    checkFragmentPage(): void;
    /** @returns the options of a link to the login route; none for a request of another path. */
    linkOptions(req: SessionRequest): LoginOptions;
    /** Responds where a page of another site has led a signed-in user to the request. @returns false for any other request */
    keepUser(options: LoginOptions, req: SessionRequest, res: ServerResponse): boolean;
  };
  callbackRoute: {
    /** Responds to a request at the callback; calls `finish` for an attempt of the strategy. */
    handle(req: SessionRequest, res: ServerResponse, next: Next, finish: Finish): Promise<void>;
    /** @returns true for a request of the path of `callbackURL`. */
    isCallback(req: SessionRequest): boolean;
    /** @returns the path of the page that asks before another user is signed in; undefined for another error. */
    askForChange(error: unknown, req: SessionRequest, res: ServerResponse): string | undefined;
  };
  /** @returns the path in the browser of a page of this site. */
  inBrowser(req: SessionRequest, path: string): string;
  forget(userID: string | number): Promise<void>;
}

/**
 * Is the strategy of `clinicianLogin()`: the login that Passport establishes is the login of the drop-in. `onSignIn` replaces the
 * verify function. @internal
 */
export class DropInStrategy extends ClinicianStrategy {
  declare private readonly dropIn: DropIn;

  constructor(dropIn: DropIn) {
    const verify = () => undefined;
    const parts = new BoundParts({ ...dropIn, verify, passReqToCallback: false, skipUserProfile: false });
    super(parts as never, verify);
    Object.defineProperty(this, 'dropIn', { value: dropIn });
  }

  override authenticate(req: SessionRequest, options: AuthenticateOptions = {}): void {
    try {
      if (this.dropIn.callbackRoute.isCallback(req)) this.continueCallback(req, options);
      else this.startLogin(req, options);
    } catch (error) {
      this.report(Promise.reject(error));
    }
  }

  override forget(userID: string | number): Promise<void> {
    return this.dropIn.forget(userID);
  }

  protected override checkFragmentPage(): void {
    this.dropIn.loginRoute.checkFragmentPage();
  }

  private continueCallback(req: SessionRequest, options: AuthenticateOptions): void {
    const res = responseOf(req);
    const finish: Finish = (response, attempt) => this.report(this.prepare(req, res, response, attempt, options));
    this.dropIn.callbackRoute.handle(req, res, this.nextOf(), finish).catch(this.nextOf());
  }

  private startLogin(req: SessionRequest, options: AuthenticateOptions): void {
    const { loginSession, sessionLoss, attempts } = this.dropIn;
    if (attempts.find(req, attempts.responseIn(req, queryOf(req)))) throw callbackElsewhere();
    // Throws without a session: the callback could not sign the user in.
    if (options.session !== false) loginSession.read(req);
    const res = responseOf(req);
    const loss = loginSession.find(req) ? undefined : sessionLoss.detect(req, res);
    const begin = (notSaved?: Error) => {
      if (notSaved) throw notSaved;
      this.redirectToLogin(req, res, options);
    };
    if (loss === undefined) begin();
    else loss.then(begin).catch((error: unknown) => this.report(Promise.reject(error)));
  }

  private redirectToLogin(req: SessionRequest, res: ServerResponse, options: AuthenticateOptions): void {
    const { loginRoute } = this.dropIn;
    const own = loginOptionsIn(options);
    const link = loginRoute.linkOptions(req);
    // A popup and a silent login end on pages of the drop-in.
    if (modeOf(link) !== 'page') {
      loginRoute.handle(req, res, this.nextOf(), own).catch(this.nextOf());
      return;
    }
    const requested = { ...link, ...own };
    if (loginRoute.keepUser(requested, req, res)) return;
    this.report(this.start(req, options, requested));
  }

  /** Finishes a login attempt, up to the call of Passport that signs the user in. */
  private async prepare(
    req: SessionRequest,
    res: ServerResponse,
    response: URLSearchParams,
    found: Attempt | undefined,
    { session, assignProperty }: AuthenticateOptions,
  ): Promise<PassportOutcome> {
    const { attempts, signIn, callbackRoute, inBrowser, events } = this.dropIn;
    const inSession = session !== false && !assignProperty;
    const attempt = attempts.take(req, res, response, found);
    let pending: PendingLogin;
    try {
      pending = await signIn.prepare(req, response, attempt, inSession);
    } catch (error) {
      const redirect = callbackRoute.askForChange(error, req, res);
      if (redirect === undefined) throw error;
      events.emit('sign_in_failed', { error });
      return { redirect };
    }
    const { user, grantID } = pending;
    const { siteState: state } = attempt.appState;
    const returnTo = attempt.returnTo && inBrowser(req, attempt.returnTo);
    if (!inSession) await pending.release(res);
    else if (res.headersSent) await discardLate(pending);
    else establishAtLogIn(req, res, pending);
    return { user, info: defined({ grantID, state, returnTo }) };
  }

  private nextOf(): Next {
    return (error) => (error ? this.error(error) : this.pass());
  }
}

/**
 * Makes the next `req.logIn()` of this request establish the login: Passport, or a custom callback of the site, calls it, and
 * Passport regenerates the session in it. A login whose request ends without that call is discarded.
 */
function establishAtLogIn(req: SessionRequest, res: ServerResponse, pending: PendingLogin): void {
  let isOpen = true;

  replaceLogIn(req, (original, user, options, done) => {
    if (!isOpen) return done(responseSent());
    isOpen = false;
    if (options?.session === false) {
      void pending.release(res);
      return original(user, options, done);
    }
    const established = pending.establish(req, res, (next) => original(user, options ?? {}, next));
    // Outside the promise: what a handler of the site throws is an uncaught exception, as it is with Passport.
    established.then(
      () => setImmediate(done),
      (error: unknown) => setImmediate(done, error),
    );
  });
  res.once('close', () => {
    if (isOpen) void pending.discard();
    isOpen = false;
  });
}

/** @returns the error for an authorization response at another path than that of `callbackURL`: to start a login would loop. */
function callbackElsewhere(): ConfigurationError {
  return new ConfigurationError(
    'mount_path_conflict',
    "passport-clinician: the authorization response arrived at another path than that of 'callbackURL'. Put passport.authenticate('clinician') at the path of 'callbackURL'; a proxy must not change it.",
    { option: 'callbackURL' },
  );
}

/** Discards a login whose request already has a response: the event that would discard it has passed. */
async function discardLate(pending: PendingLogin): Promise<never> {
  await pending.discard();
  throw responseSent();
}
