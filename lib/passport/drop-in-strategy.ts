import type { ServerResponse } from 'node:http';
import type { DropIn } from '../drop-in.js';
import { ConfigurationError } from '../errors/errors.js';
import type { FinishByPassport } from '../express/callback-route.js';
import type { Next } from '../express/http-types.js';
import { refuseSpeculation } from '../express/responses.js';
import { defined } from '../http/json.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import type { Attempt } from '../sign-in/attempts.js';
import { modeOf } from '../sign-in/login-request.js';
import { type AuthenticateOptions, loginOptionsIn, purposeOf } from './authenticate-options.js';
import type { PassportOutcome } from './passport-errors.js';
import { establishAtLogIn } from './report-outcome.js';
import { SiteTokens } from './site-tokens.js';
import { ClinicianStrategy, responseOf } from './strategy.js';
import { BoundParts } from './strategy-options.js';

/**
 * Is the strategy of `clinicianLogin()`: the login that Passport establishes is the login of the drop-in. `onSignIn` replaces the
 * verify function. @internal
 */
export class DropInStrategy extends ClinicianStrategy {
  constructor(dropIn: DropIn) {
    const verify = () => undefined;
    const siteTokens = new SiteTokens(dropIn.server, dropIn.tokens.revocations);
    const parts = new BoundParts({ ...dropIn, siteTokens, verify, passReqToCallback: false, skipUserProfile: false });
    super(parts as never, verify);
  }

  override authenticate(req: SessionRequest, options: AuthenticateOptions = {}): void {
    try {
      if (refuseSpeculation(req, responseOf(req))) return;
      if (this.parts.callbackRoute.isCallback(req)) this.continueCallback(req, options);
      else this.startLogin(req, options);
    } catch (error) {
      this.report(Promise.reject(error));
    }
  }

  private continueCallback(req: SessionRequest, options: AuthenticateOptions): void {
    const res = responseOf(req);
    const finish: FinishByPassport = (response, attempt) =>
      this.reportCallback(this.prepare(req, res, response, attempt, options), req, options, attempt);
    this.parts.callbackRoute.handle(req, res, this.nextOf(), finish).catch(this.nextOf());
  }

  private startLogin(req: SessionRequest, options: AuthenticateOptions): void {
    const { loginSession, attempts } = this.parts;
    if (attempts.find(req, queryOf(req))) throw callbackElsewhere();
    // Throws without a session: the callback could not sign the user in.
    if (options.session !== false) loginSession.read(req);
    const res = responseOf(req);
    const loss = loginSession.find(req) ? undefined : loginSession.detectLoss(req, res);
    if (loss) throw loss;
    this.redirectToLogin(req, res, options);
  }

  private redirectToLogin(req: SessionRequest, res: ServerResponse, options: AuthenticateOptions): void {
    const { errorResponses, loginRoute } = this.parts;
    if (errorResponses.showUnread(req, res)) return;
    const own = loginOptionsIn(options);
    const link = loginRoute.linkOptions(req);
    // A login in another mode ends in the drop-in.
    if (modeOf(link) === 'page' || purposeOf(options) === 'link') this.begin(req, res, options, { ...link, ...own });
    else loginRoute.handle(req, res, this.nextOf(), own).catch(this.nextOf());
  }

  /** Finishes a login attempt, up to the call of Passport that signs the user in. */
  private async prepare(
    req: SessionRequest,
    res: ServerResponse,
    response: URLSearchParams,
    found: Attempt | undefined,
    options: AuthenticateOptions,
  ): Promise<PassportOutcome> {
    const { attempts, signIn, paths } = this.parts;
    const purpose = purposeOf(options);
    const attempt = attempts.take(req, res, response, found);
    const accepted = await signIn.accept(req, response, attempt, purpose);
    const { user, grantID } = accepted;
    const { siteState: state } = attempt.appState;
    const returnTo = attempt.returnTo && paths.inBrowser(req, attempt.returnTo);
    if (purpose === 'session') await establishAtLogIn(req, res, signIn, accepted);
    else await signIn.release(res, accepted);
    return { user, info: defined({ grantID, state, returnTo }) };
  }

  private nextOf(): Next {
    return (error) => (error ? this.error(error) : this.pass());
  }
}

/** @returns the error for an authorization response at another path than that of `callbackURL`: to start a login would loop. */
function callbackElsewhere(): ConfigurationError {
  return new ConfigurationError(
    'mount_path_conflict',
    "passport-clinician: the authorization response arrived at another path than that of 'callbackURL'. Put passport.authenticate('clinician') at the path of 'callbackURL'; a proxy must not change it.",
    { option: 'callbackURL' },
  );
}
