import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignInRequiredError } from '../errors/errors.js';
import type { ClinicianHealth } from '../health.js';
import { checkOptions } from '../options/option-table.js';
import { defaultRoutes } from '../options/routes.js';
import type { Site } from '../options/site.js';
import type { ResourceAPI } from '../resource-api/resource-api.js';
import type { ClinicianGrant } from '../session/clinician-grant.js';
import { type Logins, type SessionLogin, userIDOf, type Verification } from '../session/logins.js';
import { userOf } from '../session/passport-user.js';
import type { SignOut } from '../session/sign-out.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import { siteUserOf, type Visits } from '../session/visit.js';
import { type LoginOptions, loginOptionRules } from '../sign-in/login-request.js';
import { assertGrantID, userKeyFrom } from '../token-vault/token-store.js';
import type { Buttons } from './buttons.js';
import { assertRequest, detectMissingCall } from './call-checks.js';
import type { ErrorResponses } from './error-responses.js';
import type { Guards } from './guards.js';
import type { ErrorMiddleware, Middleware, Next } from './http-types.js';
import type { LoginRoute } from './login-route.js';
import type { LogoutRoutes } from './logout-routes.js';

/** The drop-in: Express middleware with the parts of the sign-in as members. */
export interface ClinicianMiddleware<User extends object = object> extends Middleware, Guards, Buttons {
  /**
   * @returns the user of the site that `onSignIn` returned, as the session store returns it, or that the site's `deserializeUser`
   * returned; undefined if no clinician is signed in. It is `req.user` with its type, also on a site with several instances.
   */
  user(req: IncomingMessage): User | undefined;
  /** @returns the resource API for the signed-in clinician. Throws {@link SignInRequiredError} `sign_in_required` without one. */
  api(req: IncomingMessage): ResourceAPI;
  /**
   * @returns the tokens of the signed-in clinician. You can see their state, refresh and revoke them, but not read them. Throws
   * {@link SignInRequiredError} `sign_in_required` without one.
   */
  grant(req: IncomingMessage): ClinicianGrant;
  /**
   * @returns the same for a login by its id, for a background job or a queue, also in a process that receives no requests. If the
   * login has ended, the job fails with {@link SignInRequiredError}. Throws a {@link ConfigurationError} `argument_invalid` for a
   * value that is not an id. @param grantID `req.clinician.grantID` of a signed-in clinician
   */
  grantOf(grantID: string): ClinicianGrant;
  /**
   * Signs the user out on other devices and in other browsers: revokes and erases the tokens of the user's other logins, and
   * deletes their sessions, as {@link ClinicianMiddleware.forget} does. Call it in a `POST` route with
   * {@link ClinicianMiddleware.requireSameOrigin}. Throws {@link SignInRequiredError} `sign_in_required` without a user.
   * @returns the number of logins that it has ended
   */
  signOutOthers(req: IncomingMessage): Promise<number>;
  /**
   * Revokes and erases everything stored about one user. Call it when users close their account, unlink this site, or ask for it.
   * It deletes every session of the user from the session store, with the site's own data in it. In this process the user is
   * signed out at the next request; in others, after 60 seconds at most. Call it in a process that serves the site: one that has
   * received no request leaves the sessions in the store until they expire, but without a login. Safe to repeat. Erase your own
   * data yourself.
   * @param userID the `id` of the user that `onSignIn` returned
   */
  forget(userID: string | number): Promise<void>;
  /**
   * @returns whether the signed-in clinician is verified. Reads the profile if needed (spec, "Profile", `verified`). `unknown` if
   * no clinician is signed in or scope `basic` was not granted.
   */
  verification(req: IncomingMessage): Promise<Verification>;
  /**
   * Starts a login from any route, and redirects to the service. Use it to request one more scope, a recent sign-in (`maxAge`,
   * `prompt: 'login'`) or the registration (`prompt: 'create'`). The new login replaces the current one, whose tokens are
   * revoked. Throws a {@link ConfigurationError} for an invalid option, and rejects when the service is unavailable. You can also
   * use it as the handler of a route: it then passes errors to `next()`.
   */
  login(req: IncomingMessage, res: ServerResponse, options?: LoginOptions | Next): Promise<void>;
  /**
   * Signs out and sends the response. Revokes and erases the tokens, destroys the session and removes its cookie. Sends a page
   * that continues at the `endSession` route. That route signs this browser out at the service, once and within a minute. The
   * service then redirects back to the `loggedOut` route (OpenID Connect RP-Initiated Logout 1.0). A script gets `{ url }` as
   * JSON: the window must visit that path to sign out at the service too. Protect the route that calls it: see
   * {@link ClinicianMiddleware.requireSameOrigin}.
   */
  logout(req: IncomingMessage, res: ServerResponse): Promise<void>;
  /**
   * @returns middleware that responds to this package's errors in your own routes, such as those of `api(req).profile()`. A
   * browser gets a page, and a script a problem document (RFC 9457). Put it after the routes:
   * `app.use(clinician.errorHandler())`. It passes other errors on.
   *
   * If the user must sign in again, a `GET` of a page redirects to the sign-in and back, as a guard does. Other methods get a
   * page with status 401, because a sign-in would lose their data. Scripts get a problem document with status 401. If your site
   * has several instances, put the handler of each at the end of its own `express.Router()`.
   */
  errorHandler(): ErrorMiddleware;
  /** The URL of the client script, for `<script src defer>` in pages with buttons. */
  readonly clientScriptURL: string;
  /** The URL of the style sheet of the button. */
  readonly stylesheetURL: string;
  /** @returns the options of `helmet()` that this sign-in needs: pass them unchanged, or merged with your own. */
  helmet(): HelmetOptions;
  /**
   * Waits for the token requests, refreshes, revocations and erasures in progress, then closes the connections to the service.
   * Call it when the process stops, after you have closed the server and before you close the stores. Takes at most option
   * `timeout` plus two seconds. If something was not complete by then, the warning `close_incomplete` reports it. Safe to repeat.
   *
   * Afterwards, valid access tokens still work, and sign-outs still end logins. A sign-in or refresh could be interrupted, so it
   * fails with the retryable error `closed`: another process can respond.
   */
  close(): Promise<void>;
  /**
   * Checks the token store and the service, for a readiness endpoint and for monitoring. Resolves in half a second at most, and
   * never rejects. Requests each document of the service at most once in a minute, and writes to the token store at most once in a
   * second.
   */
  health(): Promise<ClinicianHealth>;
}

const FIVE_MINUTES_MS = 5 * 60 * 1000;

/** @returns an async function that is also the handler of a route: its third argument is then `next`, which receives its rejection. */
function callOrHandle<Req, Res, Options>(
  call: (req: Req, res: Res, options?: Options) => Promise<void>,
): (req: Req, res: Res, options?: Options | Next) => Promise<void> {
  return function clinicianCall(req, res, options) {
    return typeof options === 'function' ? call(req, res).catch(options as Next) : call(req, res, options);
  };
}

function loginOf(req: SessionRequest, call: string, visits: Visits): SessionLogin {
  assertRequest(req, call);
  const login = visits.of(req).readLogin();
  if (login) return login;
  throw new SignInRequiredError('sign_in_required', 'No clinician is signed in. Put requireLogin() before this route.');
}

/** @returns the members that read the login of a request, and use its tokens. */
export function loginMembers(
  visits: Visits,
  tokens: Tokens,
  logins: Logins,
): Pick<ClinicianMiddleware, 'user' | 'api' | 'grant' | 'grantOf' | 'verification'> {
  return {
    user(req) {
      assertRequest(req, 'user(req)');
      const duplicate = visits.duplicateError(req);
      if (duplicate) throw duplicate;
      const { currentLogin: login } = visits.of(req);
      if (!login) return undefined;
      return login.passportUser === undefined ? siteUserOf(login) : (userOf(req) as object | undefined);
    },
    api: (req) => tokens.grant(loginOf(req, 'api(req)', visits).grantID).api,
    grant: (req) => tokens.grant(loginOf(req, 'grant(req)', visits).grantID),
    grantOf(grantID) {
      assertGrantID(grantID, 'grantOf()', "'req.clinician.grantID' of a signed-in clinician.");
      return tokens.grant(grantID);
    },
    async verification(req) {
      assertRequest(req, 'verification(req)');
      const login = visits.of(req).readLogin();
      return login ? logins.verification(login, FIVE_MINUTES_MS) : 'unknown';
    },
  };
}

/** @returns the members that start and end logins. */
export function signInMembers(from: {
  visits: Visits;
  signOut: SignOut;
  loginRoute: LoginRoute;
  logoutRoutes: LogoutRoutes;
}): Pick<ClinicianMiddleware, 'login' | 'logout' | 'signOutOthers' | 'forget'> {
  const { visits, signOut, loginRoute, logoutRoutes } = from;
  return {
    login: callOrHandle(async (req, res, options) => {
      assertRequest(req, 'login(req, res)');
      await loginRoute.start(visits.of(req, res), checkOptions(options, loginOptionRules, 'login()'));
    }),
    logout: callOrHandle(async (req, res) => {
      assertRequest(req, 'logout(req, res)');
      const visit = visits.of(req, res);
      await logoutRoutes.logout(visit);
      visit.setState();
    }),
    async signOutOthers(req) {
      const login = loginOf(req, 'signOutOthers(req)', visits);
      return await signOut.endOthers(userIDOf(login), login.grantID);
    },
    forget: async (userID) => signOut.forget(userKeyFrom(userID, 'forget()')),
  };
}

export function errorMembers(
  visits: Visits,
  errorResponses: ErrorResponses,
): Pick<ClinicianMiddleware, 'errorHandler'> {
  const clinicianErrorHandler: ErrorMiddleware = (error, req, res, next) =>
    errorResponses.handle(error, visits.of(req, res, next));

  return { errorHandler: detectMissingCall(visits, 'errorHandler()', () => clinicianErrorHandler) };
}

/** @returns the members for the pages of the site. @param formOrigins see `logoutOrigins()` */
export function pageMembers(
  visits: Visits,
  { origin, routes }: Site,
  formOrigins: readonly string[],
  shareScriptURL: string | undefined,
): Pick<ClinicianMiddleware, 'clientScriptURL' | 'stylesheetURL' | 'helmet'> {
  const files = defaultRoutes(routes.base);
  return {
    clientScriptURL: routes.clientScript || files.clientScript,
    stylesheetURL: routes.stylesheet || files.stylesheet,
    helmet: detectMissingCall(visits, 'helmet(clinician.helmet())', () =>
      helmetOptions(origin, formOrigins, shareScriptURL),
    ),
  };
}

/** The options of helmet that this sign-in needs. */
export interface HelmetOptions {
  contentSecurityPolicy: { useDefaults: true; directives: Record<string, string[] | null> };
  referrerPolicy: { policy: 'same-origin' };
}

/**
 * Browsers apply `form-action` to the redirects after a form: a guard, or `clinician.login()`, may redirect a form to the service.
 * With helmet's `no-referrer`, browsers that send no `Sec-Fetch-Site` send `Origin: null`, and could not sign out.
 */
function helmetOptions(
  origin: string,
  formOrigins: readonly string[],
  shareScriptURL: string | undefined,
): HelmetOptions {
  const directives: Record<string, string[] | null> = { 'form-action': ["'self'", ...formOrigins] };
  if (shareScriptURL) directives['script-src'] = ["'self'", new URL(shareScriptURL).origin];
  if (!origin.startsWith('https:')) directives['upgrade-insecure-requests'] = null;
  return { contentSecurityPolicy: { useDefaults: true, directives }, referrerPolicy: { policy: 'same-origin' } };
}
