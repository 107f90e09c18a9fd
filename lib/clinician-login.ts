import type { ServerResponse } from 'node:http';
import { flows } from './authorization-server/flows.js';
import { SignInRequiredError } from './errors.js';
import type { AnswerLinks } from './express/answers.js';
import { createCSRFProtection, ownPagesOnly } from './express/csrf.js';
import { createEvents, type EventListener } from './express/events.js';
import { createFailedSignIns } from './express/failed-sign-in.js';
import { createGuards, type Guards, loginOf } from './express/guards.js';
import { type HelmetOptions, helmetOptions } from './express/helmet.js';
import { createKeptSession } from './express/kept-session.js';
import { type ClinicianGrant, createKeptTokens, type KeptTokens } from './express/kept-tokens.js';
import { createLiveLogins } from './express/live-logins.js';
import { createLogin } from './express/login.js';
import { createServiceLogout } from './express/logout.js';
import { createRequestState } from './express/request-state.js';
import { createRouter, type ErrorHandler } from './express/router.js';
import { type RouteOptions, type Routes, signOut } from './express/routes.js';
import { createSignIn, type OnSignIn } from './express/sign-in.js';
import { createSilentSignIn, startSilently } from './express/silent-sign-in.js';
import { isOfAnother, leaveSession } from './express/site-session.js';
import { ClinicianStrategy } from './express/strategy.js';
import type { ExpressMiddleware, ExpressRequest, SiteRequest, SiteSession, Verification } from './express/types.js';
import { createVerifications } from './express/verification.js';
import { sessionCheckFrame } from './html/session-check-page.js';
import { type ShareButtonOptions, shareButton } from './html/share-button.js';
import { type SignInButtonOptions, signInButton } from './html/sign-in-button.js';
import { bad, refuseUnknownOptions } from './option-names.js';
import { checkShapes } from './option-shapes.js';
import { type ClinicianOptions, resolveOptions, secureURL } from './options.js';
import type { ResourceAPI } from './resource-api/resource-api.js';
import { createKeptProfiles, type KeptProfiles } from './retention/kept-profiles.js';
import { MemoryTokenStore } from './token-vault/memory-token-store.js';
import { createSealer } from './token-vault/sealer.js';
import type { TokenStore } from './token-vault/token-store.js';

/** Options of {@link clinicianLogin}. */
export interface ClinicianLoginOptions extends ClinicianOptions {
  /**
   * What the site is called, in the titles of the pages that this package shows.
   * @default the host of `callbackURL`
   */
  siteName?: string;
  /**
   * Where sealed tokens are kept. Give a store that all processes share when the site runs as several.
   * @default a new MemoryTokenStore
   */
  tokenStore?: TokenStore;
  /**
   * Maps whoever signed in to the site's own user (an object, kept in the session as `req.user`), or refuses them by `deny(reason)`.
   * @default `({ identity }) => ({ id: identity.id })`
   */
  onSignIn?: OnSignIn<ExpressRequest>;
  /** Answers instead of this package's own page when a login or logout fails. */
  onError?: ErrorHandler;
  /**
   * Hears what happens to logins: signed in, refreshed, signed out, forgotten, and what failed. Never told a token. Where nobody
   * listens, faults are process warnings. `DEBUG=clinician:*` prints the same to stderr.
   */
  onEvent?: EventListener;
  /**
   * Where the service sends people after they have signed out there, too; registered with it byte for byte. `false` signs out
   * on this site only. Used in the `openid` flow: the service asks for an ID Token.
   * @default the `loggedOut` route on the site's own origin
   */
  postLogoutRedirectURI?: string | false;
  /** Other paths for the mounted routes, or `false` to leave one out. */
  routes?: Routes;
}

/** What {@link clinicianLogin} returns: Express middleware, and the parts as members. */
export interface ClinicianLogin extends ExpressMiddleware, Guards {
  /**
   * The resource API for the signed-in clinician.
   * Throws {@link SignInRequiredError} `sign_in_required` when nobody is signed in.
   */
  api(req: object): ResourceAPI;
  /**
   * The tokens of the signed-in clinician, without the tokens: how they stand, refresh now, revoke.
   * Throws {@link SignInRequiredError} `sign_in_required` when nobody is signed in.
   */
  grant(req: object): ClinicianGrant;
  /**
   * Revokes and erases everything kept about one user: call it when they close their account, unlink this site, or ask for it.
   * Every session of theirs is signed out: on this machine at its next request, on others when a guard asks the token store
   * again (see `maxAge`). Safe to repeat. What the site itself keeps is the site's to erase.
   * @param userID the `id` of what `onSignIn` returned
   */
  forget(userID: string | number): Promise<void>;
  /**
   * Whether the signed-in clinician is verified: from memory when known, else read from the profile (spec, "Profile", `verified`).
   * `unknown` when nobody is signed in or scope `basic` was not granted.
   */
  verification(req: object): Promise<Verification>;
  /**
   * Signs out and answers: revokes at the service, erases the tokens, destroys the session, and sends the person on to the
   * service's own end of session and from there back to the `loggedOut` route (OpenID Connect RP-Initiated Logout 1.0).
   * The session's cookie is taken from the browser, by the settings that the session says it was set with.
   * A script is answered 204. Protect the route that calls it: see {@link ClinicianLogin.csrfToken}.
   */
  logout(req: object, res: ServerResponse): Promise<void>;
  /**
   * A token for the form field `_csrf` or the header `X-CSRF-Token` of what posts to this package's routes: needed by the few
   * browsers that send no `Sec-Fetch-Site`, where helmet's `Referrer-Policy: no-referrer` makes them send `Origin: null`.
   * Good for twelve hours, for one login; for somebody who is signed out, for one browser, which gets a cookie for it.
   * Throws a {@link ConfigurationError} `csrf_token_too_late` when that cookie cannot be set any more.
   */
  csrfToken(req: object): string;
  /**
   * Middleware for the site's own posts that change something: lets through what a page of this site asked for, with the same
   * protection as the logout has. Others get 403 `cross_site_request`.
   */
  requireOwnPage(): ExpressMiddleware;
  /** The sign-in button as HTML, escaped. Put `stylesheetURL` in the page's head. */
  signInButton(options?: SignInButtonLook): string;
  /** The share button as HTML, escaped: opens a new message in the service's inbox (spec, "Share button markup"). Needs `apiURL`. */
  shareButton(options: ShareButtonLook): string;
  /**
   * A hidden frame that watches the session at the service (OIDC Session Management 1.0), for the pages of people who are signed
   * in; put the client script beside it. The document hears `clinician:signed-out` when that session has ended, and is loaded
   * anew unless that is prevented. Does nothing in the `profile` flow.
   */
  sessionCheckFrame(): string;
  /**
   * Middleware that signs people in without a question who are signed in at the service and have approved this site (`prompt=none`).
   * Each browser is asked once in ten minutes, and not after signing out; whoever is not signed in there goes on as they were.
   * A browser that has brought no cookie yet is asked at its next page: whoever keeps none, as crawlers do, gets every page as it is.
   */
  signInSilently(): ExpressMiddleware;
  /** Profiles of people who agreed to have them kept, and the record of that. Nothing else of a profile is ever kept. */
  readonly profiles: KeptProfiles;
  /** The address of the client script, to be put into pages as `<script src defer>`: for `display: 'popup'` and the session check. */
  readonly clientScriptURL: string;
  /** The address of the style sheet for the button. */
  readonly stylesheetURL: string;
  /** The options that `helmet()` needs for this sign-in to work. */
  helmet(): HelmetOptions;
  /** The Passport strategy inside, for sites that want both. */
  readonly strategy: ClinicianStrategy;
}

/** The look of the sign-in button, and what it asks the login route for. */
export interface SignInButtonLook extends Omit<SignInButtonOptions, 'href'> {
  /** The path to come back to. @default '/' */
  returnTo?: string;
  /** `create` lands on making an account, `login` asks for the password again, `consent` for the approval. */
  prompt?: 'login' | 'consent' | 'create';
  /** Which landing page a person without a session meets (spec, GET /oauth/authorize). */
  type?: 'verify' | 'login';
}

/** What the share button shares, and how it looks. */
export type ShareButtonLook = Omit<ShareButtonOptions, 'apiURL' | 'scriptURL'>;

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

function answerLinks(routes: Routes, siteName: string): AnswerLinks {
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
      bad('option_invalid', `sessionCheckFrame() needs the route that routes.${name}: false leaves out.`);
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

  const login = createLogin(resolved);
  const store = tokenStore ?? new MemoryTokenStore({ clock });
  const events = createEvents({ clock, flow, onEvent });
  const tokens: KeptTokens = createKeptTokens({
    resolved,
    login,
    events,
    store,
    onEnd(grantID) {
      logins.end(grantID);
      verifications.forget(grantID);
    },
  });
  const logins = createLiveLogins({
    clock,
    isKept: async (grantID) => (await tokens.vault.tokens(grantID)) !== undefined,
  });
  const verifications = createVerifications({
    clock,
    readProfile: ({ grantID, identity }) => tokens.grant(grantID, identity.serviceID).api.profile(),
  });
  const admit = onSignIn ?? (({ identity }) => ({ id: identity.id }));
  const keptSession = createKeptSession({ sealer: createSealer(secrets, 'signed-in'), clock, secure: resolved.secure });
  const signIn = createSignIn({ login, tokens, verifications, logins, events, keptSession, onSignIn: admit, clock });
  const silentSignIn = createSilentSignIn({
    secure: resolved.secure,
    canAsk: routes.callback !== false,
    start: (req, res, returnTo) => startSilently({ login, events }, req, res, returnTo),
  });
  const callbackPath = new URL(resolved.callbackURL).pathname;
  const csrf = createCSRFProtection({ ...resolved, sealer: createSealer(secrets, 'csrf') });
  const afterLogout = resolvePostLogoutRedirectURI(postLogoutRedirectURI, resolved.origin, routes);
  const serviceLogout = createServiceLogout({
    server: login.server,
    sealer: createSealer(secrets, 'logout'),
    secure: resolved.secure,
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
    failedSignIns: createFailedSignIns({ sealer: createSealer(secrets, 'failed'), secure: resolved.secure }),
    csrf,
    serviceLogout,
    links,
    routes,
  };
  const answer = createRouter(routeOptions, onError);

  const middleware: ExpressMiddleware = function clinician(req, res, next) {
    const found = (req as SiteRequest).session?.clinician;
    if (found && isOfAnother(found, (req as SiteRequest).session as SiteSession)) {
      delete (req as SiteRequest).session?.clinician;
      signIn.retire(found).then(() => clinician(req, res, next), next);
      return;
    }
    if (found && logins.hasEnded(found)) {
      leaveSession(req as SiteRequest).then(() => clinician(req, res, next), next);
      return;
    }
    if (found) keptSession.confirm(req as SiteRequest, res);
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
    requireOwnPage: () => ownPagesOnly(csrf, links),
    signInButton({ returnTo = '/', prompt, type, ...look } = {}) {
      const asks = Object.entries({ prompt, type }).map(([name, value]) => (value ? `&${name}=${value}` : ''));
      return signInButton({ ...look, href: links.login(returnTo) + asks.join('') });
    },
    shareButton: (share) =>
      shareButton({ ...share, apiURL: resolved.apiURL ?? '', scriptURL: resolved.shareScriptURL }),
    sessionCheckFrame: () => sessionCheckFrame({ src: sessionCheckPath(routes) }),
    signInSilently: () => silentSignIn.middleware,
    profiles: createKeptProfiles({ store, sealer: createSealer(secrets, 'profiles'), clock }),
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
