import type { ServerResponse } from 'node:http';
import { parseScope } from '../authorization-server/flows.js';
import type { Events } from '../events/events.js';
import type { PageLook } from '../html/page.js';
import { signedInAlreadyPage } from '../html/pages.js';
import { defined } from '../http/json.js';
import { foldPath } from '../http/url.js';
import type { ResolvedRoutes } from '../options/routes.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import type { Logins } from '../session/logins.js';
import { queryOf, type SessionRequest, type SiteSession, targetOf } from '../session/site-session.js';
import type { Attempts } from '../sign-in/attempts.js';
import { otherLoopbackURL } from '../sign-in/callback-host.js';
import {
  type AttemptState,
  isSilent,
  type LoginOptions,
  linkReturnTo,
  modeOf,
  readLoginLink,
  refuseMisspelledParameters,
  type SignInMode,
  type SiteScope,
} from '../sign-in/login-request.js';
import { isFromOtherSite, isFromOwnPage, type ReturnToSite, returnToPath } from '../sign-in/same-origin.js';
import type { LoginDisplays, SignInTarget } from '../sign-in/sign-in.js';
import { showResult } from './callback-route.js';
import type { ErrorResponses } from './error-responses.js';
import type { Next } from './http-types.js';
import type { MountCheck } from './mount-checks.js';
import type { SitePaths } from './paths.js';
import { redirect, refuseSpeculation, sendPage } from './responses.js';

interface LoginRouteParts extends ReturnToSite, SiteScope {
  routes: ResolvedRoutes;
  look: PageLook;
  paths: SitePaths;
  displays: LoginDisplays;
  attempts: Pick<Attempts, 'start'>;
  callbackURL: string;
  cookies: Pick<Cookies, 'plain'>;
  loginSession: SiteSession;
  logins: Pick<Logins, 'hasEnded'>;
  errorResponses: Pick<ErrorResponses, 'failSignIn'>;
  mountCheck: Pick<MountCheck, 'reportMissing'>;
  events: Events;
  isDevelopment: boolean;
}

const MAX_REPEATED = 2;
const REPEATED_SECONDS = 10;

/** Starts logins of the drop-in. @internal */
export class LoginRoute {
  readonly #parts: LoginRouteParts;
  /** How often a signed-in user has come here from elsewhere than a page of this site, a short time ago. */
  readonly #repeated: Cookie;

  constructor(parts: LoginRouteParts) {
    this.#parts = parts;
    this.#repeated = parts.cookies.plain('repeated', REPEATED_SECONDS);
  }

  /** Starts the login that a link to the login route requests. @param overrides options that take precedence over the link's */
  async handle(req: SessionRequest, res: ServerResponse, next: Next, overrides?: LoginOptions): Promise<void> {
    const { origin, errorResponses, loginSession, paths, displays, isDevelopment } = this.#parts;
    const elsewhere = this.otherHostURL(req);
    if (elsewhere !== undefined) return redirect(req, res, elsewhere);
    const query = queryOf(req);
    const returnTo = returnToPath(overrides?.returnTo ?? linkReturnTo(query), this.#parts);
    const fromOtherSite = isFromOtherSite(req, origin);
    const target: SignInTarget = { mode: 'page', returnTo };
    const fail = (error: unknown) => errorResponses.failSignIn(error, target, { req, res, next });
    let link: LoginOptions;
    try {
      // A site that calls this through Passport may read parameters of its own.
      if (isDevelopment && !overrides) refuseMisspelledParameters(query);
      link = { ...this.#readLink(req, query), ...overrides, returnTo };
      target.mode = modeOf(link);
      link.returnTo = displays[target.mode]?.returnTo(req, returnTo) ?? returnTo;
    } catch (error) {
      return fail(error);
    }
    const notSaved = !loginSession.find(req) && loginSession.detectLoss(req, res);
    if (notSaved) return fail(notSaved);
    // A page of another site cannot sign a user in silently.
    if (isSilent(link.prompt) && fromOtherSite) return showResult(target, req, res, this.#parts);
    if (this.keepUser(link, req, res, target.mode)) return;
    try {
      await this.#begin(req, res, link);
    } catch (error) {
      // A silent sign-in shows no error: the user requested nothing.
      if (target.mode !== 'silent') return fail(error);
      redirect(req, res, paths.inBrowser(req, returnTo));
    }
  }

  /** Starts a login and redirects to the service. */
  async start(req: SessionRequest, res: ServerResponse, options: LoginOptions = {}): Promise<void> {
    if (refuseSpeculation(req, res)) return;
    this.#parts.mountCheck.reportMissing(req);
    const elsewhere = this.otherHostURL(req);
    if (elsewhere !== undefined) return redirect(req, res, elsewhere);
    await this.#begin(req, res, { ...options, returnTo: options.returnTo ?? '/' });
  }

  /** See {@link otherLoopbackURL}. */
  otherHostURL(req: SessionRequest): string | undefined {
    const { callbackURL, paths } = this.#parts;
    return otherLoopbackURL(req, callbackURL, paths.inBrowser(req, targetOf(req)));
  }

  /** @returns the options of a link to the login route; none for a request of another path. */
  linkOptions(req: SessionRequest): LoginOptions {
    return this.#isAtLoginRoute(req) ? this.#readLink(req, queryOf(req)) : {};
  }

  /**
   * Returns a signed-in user to the page, in place of a login that no page of this site has started. A login that asks for more
   * is started: a guard may have led to it, and a redirect could loop. So could either, if the page redirects its user here: the
   * third time within ten seconds gets a page. @param mode `page` for a login of Passport, which ends on a page of the site
   * @returns false for any other request
   */
  keepUser(requested: LoginOptions, req: SessionRequest, res: ServerResponse, mode: SignInMode = 'page'): boolean {
    const { loginSession, logins, origin, look, paths } = this.#parts;
    const login = loginSession.find(req);
    if (!login || logins.hasEnded(login) || loginSession.belongsToOtherUser(req, login)) return false;
    const { prompt, maxAge, scope, returnTo = '/' } = requested;
    const isGranted = parseScope(scope).every((token) => login.scope.includes(token));
    const isMore = !isGranted || prompt !== undefined || maxAge !== undefined;
    const path = paths.inBrowser(req, returnToPath(returnTo, this.#parts));
    const isThisPage = foldPath(path.split(/[?#]/, 1)[0] as string) === foldPath(paths.pathOf(req));
    // A form of another site is refused at the start.
    if (req.method === 'POST' || isFromOwnPage(req, origin)) return false;
    const count = Number(this.#repeated.read(req) ?? 0);
    if (count >= MAX_REPEATED) {
      sendPage(res, 200, signedInAlreadyPage(look));
      return true;
    }
    this.#repeated.set(res, String(count + 1));
    if (isMore || isThisPage) return false;
    showResult({ mode, returnTo }, req, res, this.#parts);
    return true;
  }

  #isAtLoginRoute(req: SessionRequest): boolean {
    const { paths, routes } = this.#parts;
    return paths.pathOf(req) === routes.login;
  }

  #readLink(req: SessionRequest, query: URLSearchParams): LoginOptions {
    return readLoginLink(query, this.#parts, this.#parts.loginSession.find(req)?.scope);
  }

  async #begin(req: SessionRequest, res: ServerResponse, options: LoginOptions): Promise<void> {
    const { attempts, loginSession, events } = this.#parts;
    // Throws without a session: the callback could not sign the user in.
    loginSession.read(req);
    const { state: siteState } = options;
    const state: AttemptState = { mode: modeOf(options), ...defined({ siteState }) };
    const url = await attempts.start(req, res, options, state);
    events.emit('sign_in_started');
    redirect(req, res, url);
  }
}
