import { denied } from '../errors/denials.js';
import { type CallbackRoute, repeatFromOwnPage } from '../express/callback-route.js';
import type { ErrorResponses } from '../express/error-responses.js';
import type { LoginRoute } from '../express/login-route.js';
import type { SavedFailure } from '../express/saved-failure.js';
import type { PageLook } from '../html/page.js';
import type { Site } from '../options/site.js';
import {
  queryOf,
  type SessionRequest,
  type SiteSession,
  targetOf,
  unsupportedSession,
} from '../session/site-session.js';
import { type Attempt, type Attempts, isAuthorizationResponse } from '../sign-in/attempts.js';
import { otherLoopbackURL } from '../sign-in/callback-host.js';
import { type LoginOptions, modeOf } from '../sign-in/login-request.js';
import { isFromOwnPage } from '../sign-in/same-origin.js';
import { accountOf, type SignInPurpose } from '../sign-in/same-user.js';
import { loginOptionsIn, type PassportRequest, purposeOf } from './authenticate-options.js';
import type { PassportStrategy } from './oauth2-strategy.js';

/** Finishes a login of Passport. @param found the attempt that the response belongs to */
type Finish = (response: URLSearchParams, found: Attempt | undefined) => void;

/** The login that a request starts. @internal */
export interface StartedLogin {
  options: LoginOptions;
  /** The account that `passport.authorize()` links. */
  account: string | undefined;
}

/** The routes of the site at which a strategy is used. @internal */
export interface PassportRoutes {
  /** Finishes the login of a request at the callback, and responds to others there. @returns false for any other request */
  finish(request: PassportRequest, finish: Finish): boolean;
  /** @returns the login to start; undefined if this has responded. Throws for one that cannot end well. */
  start(request: PassportRequest): StartedLogin | undefined;
}

/** The routes of a site that has `clinicianLogin()`: some of its logins end on pages of its own. @internal */
export class ClinicianRoutes implements PassportRoutes {
  readonly #origin: string;
  readonly #loginSession: SiteSession;
  readonly #loginRoute: LoginRoute;
  readonly #callbackRoute: CallbackRoute;
  readonly #errorResponses: ErrorResponses;

  constructor(
    { origin }: Site,
    loginSession: SiteSession,
    loginRoute: LoginRoute,
    callbackRoute: CallbackRoute,
    errorResponses: ErrorResponses,
  ) {
    this.#origin = origin;
    this.#loginSession = loginSession;
    this.#loginRoute = loginRoute;
    this.#callbackRoute = callbackRoute;
    this.#errorResponses = errorResponses;
  }

  finish({ req, res, strategy }: PassportRequest, finish: Finish): boolean {
    if (!this.#callbackRoute.isCallback(req)) return false;
    const next = nextOf(strategy);
    this.#callbackRoute.handle(req, res, next, finish).catch(next);
    return true;
  }

  start({ req, res, options, strategy }: PassportRequest): StartedLogin | undefined {
    // Throws without a session: the callback could not sign the user in.
    if (options.session !== false) this.#loginSession.read(req);
    const loss = this.#loginSession.find(req) ? undefined : this.#loginSession.detectLoss(req, res);
    if (loss) throw loss;
    if (this.#errorResponses.showUnread(req, res)) return undefined;
    const link = this.#loginRoute.linkOptions(req);
    const login = { ...link, ...loginOptionsIn(options) };
    const purpose = purposeOf(options);
    // A popup and a silent login end on pages of the drop-in.
    if (modeOf(link) !== 'page' && purpose !== 'link') {
      const next = nextOf(strategy);
      this.#loginRoute.handle(req, res, next, loginOptionsIn(options)).catch(next);
      return undefined;
    }
    if (purpose === 'session' && this.#loginRoute.keepUser(login, req, res)) return undefined;
    const elsewhere = this.#loginRoute.otherHostURL(req);
    if (elsewhere === undefined) return startedLogin(login, purpose, this.#loginSession, req, this.#origin);
    strategy.redirect(elsewhere);
    return undefined;
  }
}

/** The routes of a site that has only `new ClinicianStrategy()`. @internal */
export class OwnRoutes implements PassportRoutes {
  readonly #site: Site;
  readonly #look: PageLook;
  readonly #attempts: Attempts;
  readonly #loginSession: SiteSession;
  readonly #savedFailure: SavedFailure;

  constructor(site: Site, look: PageLook, attempts: Attempts, loginSession: SiteSession, savedFailure: SavedFailure) {
    this.#site = site;
    this.#look = look;
    this.#attempts = attempts;
    this.#loginSession = loginSession;
    this.#savedFailure = savedFailure;
  }

  finish({ req, res, options }: PassportRequest, finish: Finish): boolean {
    // Passport calls two of its functions when it signs the user in.
    const unsupported = options.session === false ? undefined : unsupportedSession(req, true);
    if (unsupported) throw unsupported;
    const response = queryOf(req);
    if (!isAuthorizationResponse(response)) return false;
    const found = this.#attempts.find(req, response);
    if (!repeatFromOwnPage(req, res, response, found, this.#site, this.#look)) finish(response, found);
    return true;
  }

  start({ req, res, options, strategy }: PassportRequest): StartedLogin | undefined {
    const { origin, callbackURL } = this.#site;
    const unread = this.#savedFailure.takeUnread(req, res, origin);
    if (unread) {
      strategy.error(unread.error);
      return undefined;
    }
    const elsewhere = otherLoopbackURL(req, callbackURL, targetOf(req));
    const login = loginOptionsIn(options);
    if (elsewhere === undefined) return startedLogin(login, purposeOf(options), this.#loginSession, req, origin);
    strategy.redirect(elsewhere);
    return undefined;
  }
}

/** @returns the login with the account that it links. Throws for a link that no page of the site has started. */
function startedLogin(
  options: LoginOptions,
  purpose: SignInPurpose,
  loginSession: SiteSession,
  req: SessionRequest,
  origin: string,
): StartedLogin {
  if (purpose !== 'link') return { options, account: undefined };
  if (!isFromOwnPage(req, origin)) throw denied('cross_site_request');
  return { options, account: accountOf(req, loginSession) };
}

/** @returns `next` of a route of this package, in a strategy. */
function nextOf(strategy: PassportStrategy): (error?: unknown) => void {
  return (error) => (error ? strategy.error(error) : strategy.pass());
}
