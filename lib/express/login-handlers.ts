import type { ServerResponse } from 'node:http';
import { RESPONSE_PARAMETERS } from '../authorization-server/authorization-response.js';
import type { FlowName } from '../authorization-server/flows.js';
import { ConfigurationError } from '../errors.js';
import type { Events } from '../events.js';
import { fragmentPage, fragmentPolicy, popupPage, popupPolicy, signInAgainPage } from '../html/pages.js';
import { parseScope, type Scope } from '../scope.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionLoss } from '../session/session-loss.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import type { Login } from '../sign-in/login.js';
import {
  isSilent,
  type LoginOptions,
  linkReturnTo,
  modeOf,
  readLoginLink,
  type SignInMode,
} from '../sign-in/login-request.js';
import { isFromOtherSite } from '../sign-in/request-source.js';
import { returnToPath } from '../sign-in/return-to.js';
import type { SignIn, SignInResult } from '../sign-in/sign-in.js';
import { UserChangeError } from '../sign-in/user-change.js';
import { showContinuePage } from './continue-page.js';
import type { Failures } from './failures.js';
import { postedForm } from './form-field.js';
import type { Next } from './http-types.js';
import { type PageLinks, redirect, returnPath, sendPage, wantsHTML } from './responses.js';
import type { ResolvedRoutes } from './routes.js';
import type { SitePaths } from './site-paths.js';
import type { UserChanges } from './user-changes.js';

/** Responds to a request at the callback. @param finish finishes an attempt of the Passport strategy. @default next() */
type CallbackHandler = (req: SessionRequest, res: ServerResponse, next: Next, finish?: () => void) => Promise<void>;

/** Starts logins and finishes those of the drop-in. @internal */
export interface LoginHandlers extends Pick<SitePaths, 'inBrowser'> {
  /** Starts the login that a link to the login route requests. @param overrides options that take precedence over the link's */
  login(req: SessionRequest, res: ServerResponse, next: Next, overrides?: LoginOptions): Promise<void>;
  callback: CallbackHandler;
  /** Receives the authorization response of a fragment, which the page at the callback posts. */
  fragment(req: SessionRequest, res: ServerResponse): Promise<void>;
  /** Throws where a route is left out that `responseMode: 'fragment'` needs. */
  checkFragmentPage(): void;
  /** Returns true for a request of the path of `callbackURL`. */
  isCallback(req: SessionRequest): boolean;
  /** Starts a login and redirects to the service. */
  start(req: SessionRequest, res: ServerResponse, options?: LoginOptions): Promise<void>;
  /** @returns the options of a link to the login route; none for a request of another path. */
  linkOptions(req: SessionRequest): LoginOptions;
  /**
   * Responds, in place of a login with these options, where a page of another site has led a signed-in user to the request: the
   * user remains signed in. @returns false for any other request
   */
  keepUser(options: LoginOptions, req: SessionRequest, res: ServerResponse): boolean;
  /**
   * Asks the user at the callback before another user is signed in. @returns the path to redirect to; undefined for an error to
   * report
   */
  askForChange(error: unknown, req: SessionRequest, res: ServerResponse): string | undefined;
}

export function createLoginHandlers(options: {
  origin: string;
  callbackPath: string;
  routes: ResolvedRoutes;
  links: PageLinks;
  userChanges: UserChanges;
  flow: FlowName;
  scope: Scope;
  optionalScope: Scope;
  login: Login;
  loginSession: LoginSession;
  signIn: SignIn;
  sessionLoss: SessionLoss;
  failures: Failures;
  events: Events;
}): LoginHandlers {
  const { origin, callbackPath, routes, links, userChanges } = options;
  const { login, loginSession, signIn, sessionLoss, failures, events } = options;

  function showResult(result: SignInResult, req: SessionRequest, res: ServerResponse): void {
    const { clientScript: script } = links;
    const returnTo = links.inBrowser(req, returnToPath(result.returnTo, origin));
    if (result.mode === 'popup') sendPage(res, 200, popupPage({ ...links, script, returnTo }), popupPolicy);
    else redirect(req, res, returnTo);
  }

  const readLink = (req: SessionRequest) => readLoginLink(queryOf(req), options, loginSession.find(req)?.scope);

  function checkFragmentPage(): void {
    const leftOut = (['callback', 'clientScript'] as const).find((name) => routes[name] === false);
    if (leftOut === undefined) return;
    throw new ConfigurationError(
      'response_mode_unsupported',
      `passport-clinician: responseMode 'fragment' needs a route that is left out by routes.${leftOut}: false.`,
      { option: 'responseMode' },
    );
  }

  async function begin(req: SessionRequest, res: ServerResponse, started: LoginOptions): Promise<void> {
    if (started.responseMode === 'fragment') checkFragmentPage();
    // Throws without a session: the callback could not sign the user in.
    loginSession.read(req);
    const { state: siteState } = started;
    const attempt = { mode: modeOf(started), owner: 'drop-in', ...(siteState !== undefined && { siteState }) } as const;
    const url = await login.start(req, res, started, attempt);
    events.emit('sign_in_started');
    redirect(req, res, url);
  }

  const isAtLoginRoute = (req: SessionRequest) => links.pathOf(req) === routes.login;

  /** Returns true for a user who is signed in by this instance, or by another strategy of Passport. */
  const isSignedIn = (req: SessionRequest) =>
    loginSession.find(req) !== undefined || req.session?.passport?.user !== undefined;

  function keepUser(requested: LoginOptions, req: SessionRequest, res: ServerResponse): boolean {
    if (!isSignedIn(req) || !isFromOtherSite(req, origin)) return false;
    const { prompt, maxAge, scope, switchUser, returnTo = '/' } = requested;
    const granted = loginSession.find(req)?.scope;
    const isGranted = granted !== undefined && parseScope(scope).every((token) => granted.includes(token));
    const isMore = !isGranted || prompt !== undefined || maxAge !== undefined || switchUser === true;
    // A page asks where a guard may have led to the request: a redirect could loop.
    if (isMore || !isAtLoginRoute(req)) {
      sendPage(res, 200, signInAgainPage({ ...links, signIn: links.inBrowser(req, returnPath(req)) }));
    } else {
      showResult({ mode: modeOf(requested), returnTo }, req, res);
    }
    return true;
  }

  function askForChange(error: unknown, req: SessionRequest, res: ServerResponse): string | undefined {
    if (!(error instanceof UserChangeError) || !userChanges.save(error, req, res)) return undefined;
    failures.clearSaved(req, res);
    return callbackPath;
  }

  return {
    keepUser,
    askForChange,

    isCallback: (req) => links.pathOf(req) === callbackPath,

    inBrowser: links.inBrowser,

    linkOptions: (req) => (isAtLoginRoute(req) ? readLink(req) : {}),

    async login(req, res, next, overrides = {}) {
      const elsewhere = login.callbackHost.redirectTo(req);
      if (elsewhere !== undefined) return redirect(req, res, elsewhere);
      const returnTo = returnToPath(overrides.returnTo ?? linkReturnTo(queryOf(req)), origin);
      let mode: SignInMode = 'page';
      const fail = (error: unknown) => failures.failSignIn(error, { mode, returnTo }, { req, res, next });
      let link: LoginOptions;
      try {
        link = { ...readLink(req), ...overrides, returnTo };
        mode = modeOf(link);
        // The last page of a popup names its returnTo to the pages of this site: none of them waits for the popup of another site.
        if (mode === 'popup' && isFromOtherSite(req, origin)) link.returnTo = '/';
      } catch (error) {
        return fail(error);
      }
      const notSaved = !loginSession.find(req) && (await sessionLoss.detect(req, res));
      if (notSaved) return fail(notSaved);
      // A page of another site can neither sign a user in silently nor change the user who is signed in.
      if (isSilent(link.prompt) && isFromOtherSite(req, origin)) return showResult({ mode, returnTo }, req, res);
      if (keepUser(link, req, res)) return;
      try {
        await begin(req, res, link);
      } catch (error) {
        // A silent sign-in shows no error: the user requested nothing.
        if (mode !== 'silent') return fail(error);
        redirect(req, res, links.inBrowser(req, returnTo));
      }
    },

    async start(req, res, { returnTo = '/', ...started } = {}) {
      const elsewhere = login.callbackHost.redirectTo(req);
      if (elsewhere !== undefined) return redirect(req, res, elsewhere);
      await begin(req, res, { ...started, returnTo });
    },

    checkFragmentPage,

    async fragment(req, res) {
      login.saveFragment(req, res, await postedForm(req, RESPONSE_PARAMETERS));
      res.writeHead(204, { 'Cache-Control': 'no-store' }).end();
    },

    async callback(req, res, next, finish) {
      const hasResponse = login.hasResponse(req);
      if (!hasResponse && wantsHTML(req)) {
        const isRead = queryOf(req).get('fragment') === 'none';
        if (!isRead && login.awaitsFragment(req)) {
          return sendPage(res, 200, fragmentPage({ ...links, script: links.clientScript }), fragmentPolicy);
        }
        if (failures.showSaved(req, res)) return;
      }
      if (!hasResponse && userChanges.show(req, res)) return;
      const { owner, fromOtherSite = false } = login.attemptOf(req) ?? {};
      if (showContinuePage(req, res, { origin, path: callbackPath, links, fromOtherSite })) return;
      // A response that belongs to no attempt is reported in Passport's way, except to a signed-in user, who mostly went back.
      const isUnknown = hasResponse && owner === undefined && !loginSession.find(req);
      if (owner === 'strategy' || (isUnknown && finish)) {
        failures.clearSaved(req, res);
        userChanges.clear(req, res);
        return (finish ?? next)();
      }
      const result = await signIn.finish(req, res);
      if ('error' in result) {
        const path = askForChange(result.error, req, res);
        if (path === undefined) return failures.failSignIn(result.error, result, { req, res, next });
        events.emit('sign_in_failed', { error: result.error });
        return redirect(req, res, path);
      }
      if (loginSession.find(req)) {
        failures.clearSaved(req, res);
        userChanges.clear(req, res);
      }
      showResult(result, req, res);
    },
  };
}
