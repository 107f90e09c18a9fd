import { parseScope } from '../authorization-server/flows.js';
import { defined } from '../http/json.js';
import { foldPath } from '../http/url.js';
import type { Site } from '../options/site.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import type { Visit } from '../session/visit.js';
import type { Attempts } from '../sign-in/attempts.js';
import { otherLoopbackURL } from '../sign-in/callback-host.js';
import {
  type AttemptState,
  type LoginOptions,
  linkReturnTo,
  modeOf,
  readLoginLink,
  refuseMisspelledParameters,
  type SignInMode,
} from '../sign-in/login-request.js';
import type { ErrorResponses } from './error-responses.js';
import type { LoginModes } from './login-modes.js';
import type { SitePaths } from './paths.js';
import { redirect, refuseSpeculation } from './responses.js';
import type { RouteRow } from './router.js';

const MAX_REPEATED = 2;
const REPEATED_SECONDS = 10;

/** Starts logins of the drop-in. @internal */
export class LoginRoute {
  readonly #site: Site;
  readonly #paths: SitePaths;
  readonly #attempts: Attempts;
  readonly #modes: LoginModes;
  readonly #errorResponses: ErrorResponses;
  /** How often a signed-in user has come here from elsewhere than a page of this site, a short time ago. */
  readonly #repeated: Cookie;

  constructor(from: {
    site: Site;
    paths: SitePaths;
    cookies: Cookies;
    attempts: Attempts;
    modes: LoginModes;
    errorResponses: ErrorResponses;
  }) {
    this.#site = from.site;
    this.#paths = from.paths;
    this.#repeated = from.cookies.plain('repeated', REPEATED_SECONDS);
    this.#attempts = from.attempts;
    this.#modes = from.modes;
    this.#errorResponses = from.errorResponses;
  }

  routes(): RouteRow[] {
    return [[this.#site.routes.login, 'GET', (visit) => this.handle(visit)]];
  }

  /** Starts the login that a link to the login route requests. @param overrides options that take precedence over the link's */
  async handle(visit: Visit, overrides?: LoginOptions): Promise<void> {
    const elsewhere = this.otherHostURL(visit);
    if (elsewhere !== undefined) return redirect(visit, elsewhere);
    const returnTo = this.#paths.returnTo(overrides?.returnTo ?? linkReturnTo(visit.query));
    visit.signIn = { mode: 'page', returnTo };
    // A site that calls this through Passport may read parameters of its own.
    if (this.#site.isDevelopment && !overrides) refuseMisspelledParameters(visit.query);
    const link = { ...this.#readLink(visit), ...overrides, returnTo };
    const mode = modeOf(link);
    visit.signIn = { mode, returnTo };
    link.returnTo = this.#modes.returnTo(visit, visit.signIn);
    const lost = this.#errorResponses.lostSession(visit);
    if (lost) throw lost;
    try {
      // A page of another site cannot sign a user in silently.
      if (mode === 'silent' && visit.isFromOtherSite) this.#modes.show(visit, visit.signIn);
      else if (!this.keepUser(link, visit, mode)) await this.#begin(visit, link);
    } catch (error) {
      // A silent sign-in shows no error: the user requested nothing.
      if (mode !== 'silent') throw error;
      this.#modes.show(visit, visit.signIn);
    }
  }

  /** Starts a login and redirects to the service. */
  async start(visit: Visit, options: LoginOptions = {}): Promise<void> {
    if (refuseSpeculation(visit)) return;
    visit.visits.reportMissing(visit);
    const elsewhere = this.otherHostURL(visit);
    if (elsewhere !== undefined) return redirect(visit, elsewhere);
    await this.#begin(visit, { ...options, returnTo: options.returnTo ?? '/' });
  }

  otherHostURL(visit: Visit): string | undefined {
    return otherLoopbackURL(visit, this.#paths.inBrowser(visit, visit.target));
  }

  /** @returns the options of a link to the login route; none for a request of another path. */
  linkOptions(visit: Visit): LoginOptions {
    return this.#paths.pathOf(visit) === this.#site.routes.login ? this.#readLink(visit) : {};
  }

  /**
   * Returns a signed-in user to the page, in place of a login that no page of this site has started. A login that asks for more
   * is started: a guard may have led to it, and a redirect could loop. So could either, if the page redirects its user here: the
   * third time within ten seconds gets a page. @param mode `page` for a login of Passport, which ends on a page of the site
   * @returns false for any other request
   */
  keepUser(requested: LoginOptions, visit: Visit, mode: SignInMode = 'page'): boolean {
    const login = visit.currentLogin;
    // A form of another site is refused at the start.
    if (!login || visit.visits.hasEnded(login) || visit.req.method === 'POST' || visit.isFromOwnPage) return false;
    const count = Number(this.#repeated.read(visit.req) ?? 0);
    if (count >= MAX_REPEATED) {
      this.#errorResponses.showSignedIn(visit);
      return true;
    }
    this.#repeated.set(visit.res, String(count + 1));
    const { prompt, maxAge, scope } = requested;
    const returnTo = this.#paths.returnTo(requested.returnTo);
    const isGranted = parseScope(scope).every((token) => login.scope.includes(token));
    const isMore = !isGranted || prompt !== undefined || maxAge !== undefined;
    const path = this.#paths.inBrowser(visit, returnTo);
    const isThisPage = foldPath(path.split(/[?#]/, 1)[0] as string) === foldPath(this.#paths.pathOf(visit));
    if (isMore || isThisPage) return false;
    this.#modes.show(visit, { mode, returnTo });
    return true;
  }

  #readLink(visit: Visit): LoginOptions {
    return readLoginLink(visit.query, this.#site, visit.login?.scope);
  }

  async #begin(visit: Visit, options: LoginOptions): Promise<void> {
    // Throws without a session: the callback could not sign the user in.
    visit.readLogin();
    const { state: siteState } = options;
    const state: AttemptState = { mode: modeOf(options), ...defined({ siteState }) };
    redirect(visit, await this.#attempts.start(visit, options, state));
  }
}
