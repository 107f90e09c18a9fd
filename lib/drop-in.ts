import { flows } from './authorization-server/flows.js';
import { type Core, type CoreOptions, createCore } from './core.js';
import { createButtons } from './express/buttons.js';
import { CallbackRoute } from './express/callback-route.js';
import { ErrorResponses } from './express/error-responses.js';
import { createGuards } from './express/guards.js';
import { logoutOrigins, type ResolvedLoginOptions } from './express/login-options.js';
import { LoginRoute } from './express/login-route.js';
import { LogoutRoutes } from './express/logout-routes.js';
import { type ClinicianMiddleware, createMembers } from './express/members.js';
import { LoginMiddleware } from './express/middleware.js';
import { SitePaths } from './express/paths.js';
import { createRouter, routeRows } from './express/router.js';
import { SavedFailure } from './express/saved-failure.js';
import shareScript from './html/browser/share.js?text';
import type { PageLook } from './html/page.js';
import { Popup, popupClientScript } from './popup/popup.js';
import { SessionCheck, type SessionCheckMembers } from './session-check/session-check.js';
import { CHECK_MODE, SilentCheck } from './session-check/silent-check.js';
import { ownRoutesOf } from './sign-in/return-to.js';
import { Acceptance, SignIn } from './sign-in/sign-in.js';
import type { OnSignIn } from './sign-in/site-user.js';
import { SilentSignIn, type SilentSignInMembers } from './silent-sign-in/silent-sign-in.js';

/** What the strategies of Passport use of a drop-in. */
interface Parts extends CoreOptions, Core {
  look: PageLook;
  paths: SitePaths;
  onSignIn: OnSignIn<never>;
  errorResponses: ErrorResponses;
  savedFailure: SavedFailure;
  loginRoute: LoginRoute;
  callbackRoute: CallbackRoute;
  logoutRoutes: LogoutRoutes;
  acceptance: Acceptance;
  signIn: SignIn;
}

/** The members of the features. */
export interface FeatureMembers extends SessionCheckMembers, SilentSignInMembers {}

/** The drop-in: its options, its parts and its members. A strategy of Passport uses them too. @internal */
export interface DropIn extends Parts {
  clinician: ClinicianMiddleware & FeatureMembers;
}

/** Creates the parts of the drop-in and connects them. */
export function createDropIn(options: ResolvedLoginOptions): DropIn {
  const { site, client, timeouts, handlers, secrets, profileRequired, tokenStore, postLogoutRedirectURI } = options;
  const { look } = options;
  const { routes } = site;
  const values = { ...site, ...client, ...timeouts, ...handlers, secrets, profileRequired, postLogoutRedirectURI };
  const all = { ...values, tokenStore, ownRoutes: ownRoutesOf(site) };
  const core = createCore(all);
  const { visits, cookies, events, attempts, server, loginSession, logins, tokens, signOut } = core;
  const { serviceLogout } = core;
  const paths = new SitePaths(site);
  const displays = { popup: new Popup(look) };
  const atService = {
    exists: flows[site.flow].expectsIDToken && postLogoutRedirectURI !== undefined,
    origins: logoutOrigins(options),
  };
  const silentSignIn = new SilentSignIn(visits, attempts, events, cookies);
  const silentCheck = new SilentCheck(core);
  const sessionCheck = new SessionCheck({
    ...{ clientID: site.clientID, clock: site.clock, texts: look.texts, path: routes.sessionCheck },
    ...{ server, loginSession, silentCheck, silentSignIn },
  });
  const savedFailure = new SavedFailure(site, cookies);
  const errorResponses = new ErrorResponses(
    ...([site, look, paths, displays, savedFailure, loginSession, events, handlers.onError] as const),
  );
  const session = loginSession;
  const { identification } = core;
  const acceptance = new Acceptance({ server, identification, session, tokens, onSignIn: handlers.onSignIn });
  const signIn = new SignIn({ clock: site.clock, acceptance, session, tokens, logins, signOut });
  const loginRoute = new LoginRoute(site, look, paths, displays, attempts, errorResponses, events, cookies);
  const callbackRoute = new CallbackRoute(
    ...([site, look, paths, displays, attempts, signIn, { [CHECK_MODE]: silentCheck }, errorResponses] as const),
    savedFailure,
  );
  const logoutRoutes = new LogoutRoutes(
    ...([site, look, atService, paths, signOut, serviceLogout, silentSignIn, savedFailure] as const),
  );
  const clientScript = popupClientScript + shareScript;
  const rows = [...routeRows(site, clientScript, loginRoute, callbackRoute, logoutRoutes), ...sessionCheck.routes()];
  const route = createRouter(site, rows, paths, errorResponses, sessionCheck.middleware());
  const middleware = new LoginMiddleware(visits, loginSession, logins, signOut, route).middleware();
  const guards = createGuards({ ...site, visits, logins, errorResponses });
  const buttons = createButtons({ site, look, paths, shareScriptURL: options.shareScriptURL });
  const { close, health } = core;
  const members = createMembers(options, {
    ...{ visits, tokens, signOut, logins, errorResponses, loginRoute, logoutRoutes, close, health },
  });
  const clinician = Object.assign(middleware, guards, members, buttons, sessionCheck.members(), silentSignIn.members());
  const routeParts = { errorResponses, savedFailure, loginRoute, callbackRoute, logoutRoutes, acceptance, signIn };
  return { ...all, ...core, look, paths, ...routeParts, clinician };
}
