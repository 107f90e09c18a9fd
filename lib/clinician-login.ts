import { flows } from './authorization-server/flows.js';
import { createCookies } from './cookies.js';
import { SignInRequiredError } from './errors.js';
import { createEvents } from './events.js';
import type { ClinicianLogin, ClinicianLoginOptions } from './express/clinician-login-types.js';
import { createCSRFProtection, sameOriginOnly } from './express/csrf.js';
import type { PageLinks } from './express/error-responses.js';
import { createGuards, loginOf } from './express/guards.js';
import { helmetOptions } from './express/helmet.js';
import { createRequestState } from './express/request-state.js';
import { createRouter } from './express/router.js';
import { type RouteOptions, type Routes, signOut } from './express/routes.js';
import { shareButton, signInButton } from './html/buttons.js';
import { sessionCheckFrame } from './html/session-check-page.js';
import { failOption, refuseUnknownOptions } from './options/option-names.js';
import { checkShapes } from './options/option-shapes.js';
import { resolveOptions, secureURL } from './options/options.js';
import { ClinicianStrategy } from './passport/strategy.js';
import { createActiveLogins } from './session/active-logins.js';
import { createServiceLogout } from './session/service-logout.js';
import { createSessionLoss } from './session/session-loss.js';
import { belongsToOtherUser, clearLogin } from './session/site-session.js';
import { type ClinicianGrant, createTokenManager, type TokenManager } from './session/token-manager.js';
import type { ExpressMiddleware, SiteRequest, SiteSession } from './session/types.js';
import { createVerifications } from './session/verification.js';
import { createFailedSignIns } from './sign-in/failed-sign-in.js';
import { createLogin } from './sign-in/login.js';
import { createSignIn } from './sign-in/sign-in.js';
import { createSilentSignIn, startSilently } from './sign-in/silent-sign-in.js';
import { MemoryTokenStore } from './token-vault/memory-token-store.js';
import { createProfileStore } from './token-vault/profile-store.js';
import { createSealer } from './token-vault/sealer.js';

const OWN_OPTIONS = ['siteName', 'tokenStore', 'onSignIn', 'onError', 'onEvent', 'postLogoutRedirectURI', 'routes'];
const FIVE_MINUTES = 5 * 60 * 1000;
const DEFAULT_ROUTES = {
  login: '/auth/login',
  callback: true,
  logout: '/auth/logout',
  forget: '/auth/forget',
  loggedOut: '/auth/logged-out',
  sessionCheck: '/auth/session-check',
  clientScript: '/auth/clinician.js',
  stylesheet: '/auth/clinician.css',
} as const satisfies Routes;

function answerLinks(routes: Routes, siteName: string): PageLinks {
  return {
    siteName,
    canLogin: Boolean(routes.login),
    login: (returnTo) => (routes.login ? `${routes.login}?returnTo=${encodeURIComponent(returnTo)}` : '/'),
    stylesheet: routes.stylesheet || DEFAULT_ROUTES.stylesheet,
    script: routes.clientScript || DEFAULT_ROUTES.clientScript,
  };
}

/** @returns where the page is that watches the session at the service; it needs the routes that it acts by. */
function sessionCheckPath(routes: Routes): string {
  for (const name of ['sessionCheck', 'login', 'callback', 'logout'] as const) {
    if (routes[name] === false)
      failOption('option_invalid', `sessionCheckFrame() needs the route that routes.${name}: false leaves out.`);
  }
  return routes.sessionCheck || DEFAULT_ROUTES.sessionCheck;
}

function resolvePostLogoutRedirectURI(
  given: string | false | undefined,
  origin: string,
  { loggedOut }: Routes,
): string | undefined {
  if (given === false) return undefined;
  if (given === undefined) return loggedOut ? origin + loggedOut : undefined;
  secureURL('postLogoutRedirectURI', given);
  return given;
}

/**
 * "Sign in as a clinician", drop-in: Express middleware with login, callback and logout mounted, and guards, the resource API
 * and the button as members. Put `app.use(session({ ... }))` before it.
 *
 * Throws a {@link ConfigurationError} for a missing, misspelled or unsafe option. Does not touch the network until a login.
 * Sources: RFC 6749 section 4.1, RFC 7636, OIDC Core section 3.1; spec, Authentication.
 */
export function clinicianLogin(options: ClinicianLoginOptions): ClinicianLogin {
  refuseUnknownOptions(options, OWN_OPTIONS);
  checkShapes(options);
  const {
    siteName,
    tokenStore,
    onSignIn,
    onError,
    onEvent,
    postLogoutRedirectURI,
    routes: givenRoutes,
    ...shared
  } = options;
  const resolved = resolveOptions(shared);
  const { flow, clock, secrets, scope } = resolved;
  const routes = { ...DEFAULT_ROUTES, ...givenRoutes };
  const links = answerLinks(routes, siteName ?? new URL(resolved.callbackURL).host);

  const cookies = createCookies(resolved);
  const login = createLogin({ ...resolved, cookies });
  const store = tokenStore ?? new MemoryTokenStore({ clock });
  const events = createEvents({ clock, flow, onEvent });
  const tokens: TokenManager = createTokenManager({
    resolved,
    login,
    events,
    store,
    onEnd(grantID) {
      logins.end(grantID);
      verifications.forget(grantID);
    },
  });
  const logins = createActiveLogins({
    clock,
    isKept: async (grantID) => (await tokens.vault.tokens(grantID)) !== undefined,
  });
  const verifications = createVerifications({
    clock,
    readProfile: ({ grantID, identity }) => tokens.grant(grantID, identity.serviceID).api.profile(),
  });
  const admit = onSignIn ?? (({ identity }) => ({ id: identity.id }));
  const keptSession = createSessionLoss({ cookies, clock });
  const signIn = createSignIn({ login, tokens, verifications, logins, events, keptSession, onSignIn: admit, clock });
  const silentSignIn = createSilentSignIn({
    cookies,
    canAsk: routes.callback !== false,
    start: (req, res, returnTo) => startSilently({ login, events }, req, res, returnTo),
  });
  const callbackPath = new URL(resolved.callbackURL).pathname;
  const csrf = createCSRFProtection({ ...resolved, cookies, sealer: createSealer(secrets, 'csrf') });
  const afterLogout = resolvePostLogoutRedirectURI(postLogoutRedirectURI, resolved.origin, routes);
  const serviceLogout = createServiceLogout({
    server: login.server,
    cookies,
    postLogoutRedirectURI: afterLogout,
  });
  const routeOptions: RouteOptions = {
    origin: resolved.origin,
    callbackPath,
    clientID: resolved.clientID,
    login,
    silentSignIn,
    signIn,
    events,
    keptSession,
    failedSignIns: createFailedSignIns(cookies),
    csrf,
    serviceLogout,
    links,
    routes,
  };
  const answer = createRouter(routeOptions, onError);

  const middleware: ExpressMiddleware = function clinician(req, res, next) {
    const found = (req as SiteRequest).session?.clinician;
    if (found && belongsToOtherUser(found, (req as SiteRequest).session as SiteSession)) {
      delete (req as SiteRequest).session?.clinician;
      signIn.retire(found).then(() => clinician(req, res, next), next);
      return;
    }
    if (found && logins.hasEnded(found)) {
      clearLogin(req as SiteRequest).then(() => clinician(req, res, next), next);
      return;
    }
    if (found) keptSession.clear(req as SiteRequest, res);
    req.clinician = createRequestState(found, flow, verifications.known);
    if (found && 'user' in found) req.user = found.user as Express.User;
    answer(req, res, next);
  };

  function grantOf(req: object): ClinicianGrant {
    const found = loginOf(req as SiteRequest);
    if (found) return tokens.grant(found.grantID, found.identity.serviceID);
    throw new SignInRequiredError('sign_in_required', 'Nobody is signed in: put requireLogin() before this route.');
  }

  const members: Omit<ClinicianLogin, keyof ExpressMiddleware> = {
    ...createGuards({
      asked: scope,
      known: flows[flow].knownScopes,
      links,
      verifications,
      logins,
      events,
      keptSession,
      clock,
    }),
    api: (req) => grantOf(req).api,
    grant: grantOf,
    async forget(userID) {
      logins.endUser(String(userID));
      await tokens.forgetUser(String(userID));
    },
    async verification(req) {
      const found = loginOf(req as SiteRequest);
      return found ? verifications.current(found, FIVE_MINUTES) : 'unknown';
    },
    logout: (req, res) => signOut(routeOptions, req as SiteRequest, res),
    csrfToken: (req) => csrf.token(req as SiteRequest),
    requireSameOrigin: () => sameOriginOnly(csrf, links),
    signInButton({ returnTo = '/', prompt, type, ...look } = {}) {
      const asks = Object.entries({ prompt, type }).map(([name, value]) => (value ? `&${name}=${value}` : ''));
      return signInButton({ ...look, href: links.login(returnTo) + asks.join('') });
    },
    shareButton: (share) =>
      shareButton({ ...share, apiURL: resolved.apiURL ?? '', scriptURL: resolved.shareScriptURL }),
    sessionCheckFrame: () => sessionCheckFrame({ src: sessionCheckPath(routes) }),
    signInSilently: () => silentSignIn.middleware,
    profiles: createProfileStore({ store, sealer: createSealer(secrets, 'profiles'), clock }),
    clientScriptURL: links.script,
    stylesheetURL: links.stylesheet,
    helmet: () =>
      helmetOptions({
        ...resolved,
        logoutURLs: [...resolved.allowedEndpointOrigins, ...(afterLogout ? [afterLogout] : [])],
      }),
    strategy: new ClinicianStrategy(
      shared,
      async (_accessToken: string, _refreshToken: string, profile: { id: string }) => ({ id: profile.id }),
    ),
  };
  return Object.assign(middleware, members);
}
