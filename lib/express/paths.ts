import { closestName } from '../errors/closest-name.js';
import { foldPath } from '../http/url.js';
import { type OptionProblem, optionError, type WithDefaults } from '../options/option-table.js';
import { type SessionRequest, targetOf } from '../session/site-session.js';
import type { PageLook } from './page-options.js';

/**
 * The paths of the drop-in's routes, below option `basePath`. You can set another path for each, or `false` to leave the route
 * out.
 */
export interface Routes {
  /** The path that the default paths are below. Set it if your site has several instances of `clinicianLogin()`. @default '/auth' */
  base?: string | undefined;
  /**
   * Starts a login: `GET /auth/login?returnTo=/path`. With `false`, guards cannot redirect to a sign-in: keep the route at another
   * path, and call `clinician.login()` in your own route.
   * @default '/auth/login'
   */
  login?: string | false | undefined;
  /**
   * Finishes a login, at the path of `callbackURL`. Set `false` if `passport.authenticate('clinician')` with `clinician.strategy`
   * is at that path, because it then finishes every login.
   * @default true
   */
  callback?: boolean | undefined;
  /** Signs out on a POST from a page of the same origin. On a GET, shows a page that asks first. @default '/auth/logout' */
  logout?: string | false | undefined;
  /**
   * Continues a sign-out at the service, once, after `POST /auth/logout`. `false` signs out on this site only.
   * @default '/auth/end-session'
   */
  endSession?: string | false | undefined;
  /** Revokes and erases everything stored about the user, in every session, on a POST from a page of the same origin. @default '/auth/forget' */
  forget?: string | false | undefined;
  /** Shows that the user is signed out. The service redirects back to it. @default '/auth/logged-out' */
  loggedOut?: string | false | undefined;
  /** The page that checks the session at the service, for `sessionCheckFrame()`. @default '/auth/session-check' */
  sessionCheck?: string | false | undefined;
  /** The client script, for popups and the share button. @default '/auth/clinician.js' */
  clientScript?: string | false | undefined;
  /** The style sheet of the button and the pages. @default '/auth/clinician.css' */
  stylesheet?: string | false | undefined;
}

const defaultRoutes = (base: string): WithDefaults<Omit<Routes, 'base'>> => ({
  login: `${base}/login`,
  callback: true,
  logout: `${base}/logout`,
  endSession: `${base}/end-session`,
  forget: `${base}/forget`,
  loggedOut: `${base}/logged-out`,
  sessionCheck: `${base}/session-check`,
  clientScript: `${base}/clinician.js`,
  stylesheet: `${base}/clinician.css`,
});

const NAMES = ['base', ...Object.keys(defaultRoutes(''))];
/** The maximum length of `returnTo` in a link, which a redirect has in its header: encoding makes it longer. */
const MAX_ENCODED_LENGTH = 1500;
/** A browser reads `//x` and `/\x` as another host. */
const PATH = /^\/(?!\/)[^\s?#\\]*$/;
/** Segments of the characters that a path can have (RFC 3986 section 3.3), without those that a proxy may decode to `.`, `/` or `\`. */
const BASE_PATH = /^(?:\/(?!\.{1,2}(?:\/|$))(?:[\w.~!$&'()*+,;=:@-]|%(?![01]|2[ef]|5c)[\da-f]{2})+)*$/i;

function checkRoute(name: string, path: unknown): void {
  if (!NAMES.includes(name)) {
    const closest = closestName(name, NAMES);
    const fix = closest ? `Did you mean '${closest}'?` : `The routes are: ${NAMES.join(', ')}.`;
    throw optionError('routes', `there is no route '${name.slice(0, 100)}'. ${fix}`);
  }
  if (name === 'callback' && (typeof path === 'boolean' || typeof path === 'string')) return;
  if (path === false || (typeof path === 'string' && PATH.test(path))) return;
  const types =
    name === 'callback' ? "true or false: its path is that of 'callbackURL'" : "a path that starts with '/', or false";
  throw optionError('routes', `routes.${name} must be ${types}.`);
}

/** The paths of all routes in the browser. @internal */
export type ResolvedRoutes = Readonly<WithDefaults<Routes> & { basePath: string }>;

/** @returns what is wrong with option `basePath`. */
export function basePathProblem(basePath: string): OptionProblem | undefined {
  if (BASE_PATH.test(basePath)) return undefined;
  return { phrase: "must be '' or a path such as '/app', without a final slash, '//', '.' or '..'." };
}

/** @returns what precedes the default path of the callback: `/app` for `/app/auth/callback`. */
function basePathOf(callbackPath: string, base: string): string {
  const end = `${base}/callback`;
  return callbackPath.endsWith(end) ? callbackPath.slice(0, -end.length) : '';
}

/** @returns every conflict between these paths, for a message. */
function conflictsOf(callbackPath: string, basePath: string, { callback, ...routes }: Omit<Routes, 'base'>): string[] {
  const conflicts: string[] = [];
  if (typeof callback === 'string')
    conflicts.push(
      `routes.callback is '${callback}', but its path is that of callbackURL: remove it, and put the path into callbackURL`,
    );
  if (callbackPath.startsWith('//') || !BASE_PATH.test(basePath))
    conflicts.push(
      `a browser or a proxy can read the path of callbackURL, '${callbackPath}', in another way: use another`,
    );
  else if (!callbackPath.startsWith(`${basePath}/`))
    conflicts.push(`the path of callbackURL, '${callbackPath}', is not below basePath, '${basePath}'`);
  const used = new Map([[foldPath(callbackPath), 'callbackURL']]);
  for (const [name, path] of Object.entries(routes)) {
    if (typeof path !== 'string') continue;
    const other = used.get(foldPath(path));
    if (other === undefined) used.set(foldPath(path), `routes.${name}`);
    else conflicts.push(`routes.${name} and ${other} are the same path, '${path}'`);
  }
  return conflicts;
}

/**
 * @returns the routes with their defaults, and `basePath`, which all of them are below. Throws for an unknown route, an invalid
 * path, and one error for all conflicts between the paths.
 */
export function resolveRoutes(
  callbackPath: string,
  { base = '/auth', ...others }: Routes = {},
  basePath: string = basePathOf(callbackPath, base),
): ResolvedRoutes {
  if (!PATH.test(base) || base.endsWith('/')) {
    throw optionError('routes', "routes.base must be a path such as '/auth', without a final slash.");
  }
  const set = Object.entries(others).filter(([, path]) => path !== undefined);
  for (const [name, path] of set) checkRoute(name, path);
  const relative = { ...defaultRoutes(base), ...Object.fromEntries(set) };
  const routes = Object.fromEntries(
    Object.entries(relative).map(([name, path]) => [
      name,
      typeof path === 'string' && name !== 'callback' ? belowBase(basePath, path) : path,
    ]),
  ) as WithDefaults<Omit<Routes, 'base'>>;
  const conflicts = conflictsOf(callbackPath, basePath, routes);
  if (conflicts.length === 0) return { base: belowBase(basePath, base), basePath, ...routes };
  throw optionError('routes', `conflicting paths: ${conflicts.join('; ')}.`);
}

/** @returns the paths of all routes, and that of `callbackURL`. */
export function routePaths(routes: ResolvedRoutes, callbackPath: string): string[] {
  const { base: _, basePath: __, callback: ___, ...paths } = routes;
  return [callbackPath, ...Object.values(paths).filter((path) => path !== false)];
}

/** @returns the links of this package's pages. */
export function pageLinks(routes: ResolvedRoutes, callbackPath: string, look: PageLook): PageLinks {
  return {
    ...createSitePaths(routes.basePath, routePaths(routes, callbackPath)),
    ...look,
    login(returnTo, query = '') {
      if (!routes.login) return undefined;
      const value = encodeURIComponent(returnTo);
      return `${routes.login}?returnTo=${value.length > MAX_ENCODED_LENGTH ? '%2F' : value}${query}`;
    },
    logout: routes.logout || undefined,
    stylesheet: routes.stylesheet || (defaultRoutes(routes.base).stylesheet as string),
    clientScript: routes.clientScript || (defaultRoutes(routes.base).clientScript as string),
  };
}

/** Converts the paths that the site receives to those of the browser, which differ behind a proxy that strips `basePath`. @internal */
export interface SitePaths {
  /** The front page of the site. */
  home: string;
  /** @returns the path of a request in the browser: for a route of this package, exactly the path that the options have. */
  pathOf(req: SessionRequest): string;
  /** @returns the path in the browser of a page of the site. A path below `basePath` remains the same, and `/` is the front page. */
  inBrowser(req: SessionRequest, path: string): string;
}

/** The URLs of the drop-in, and the look of its pages. @internal */
export interface PageLinks extends SitePaths, PageLook {
  /**
   * @param query more options of the login, as the end of a query
   * @returns the URL that starts a login and returns to a path of the site; undefined if the site mounts no login route
   */
  login(returnTo: string, query?: string): string | undefined;
  /** The path of the page that signs out; undefined if the site mounts no logout route. */
  logout: string | undefined;
  stylesheet: string;
  clientScript: string;
}

/** @returns true for a path below another one, in any case, as Express mounts. */
export function isBelow(path: string, base: string): boolean {
  return path.toLowerCase().startsWith(`${base}/`.toLowerCase());
}

/** @returns a path below `basePath`: it remains the same if it is there, otherwise `basePath` is put in front of it. */
export function belowBase(basePath: string, path: string): string {
  return isBelow(path, basePath) ? path : basePath + path;
}

/**
 * @returns the path that the site receives, wherever the middleware is mounted. Only Express sets `baseUrl`. Below a wildcard, such
 * as `forRoutes('*')` of NestJS, `baseUrl` is the whole path, and `path` the slash that Express adds to the empty rest.
 */
export function receivedPath(req: SessionRequest): string {
  const { baseUrl, path } = req;
  if (baseUrl === '' && path !== undefined) return path;
  const whole = targetOf(req).split('?', 1)[0] as string;
  return path === undefined || baseUrl === undefined || baseUrl === whole ? whole : baseUrl + path;
}

/** @returns a path in the form in which the router of the site compares it, by the two settings of Express. */
function routedPath(path: string, app: SessionRequest['app']): string {
  const isEnabled = (setting: string) => typeof app?.enabled === 'function' && app.enabled(setting);
  const named = isEnabled('case sensitive routing') ? path : path.toLowerCase();
  return isEnabled('strict routing') ? named : named.replace(/\/$/, '');
}

/**
 * @param routes the paths of this package's routes in the browser
 * @returns the conversion of paths for a site below `basePath`
 */
function createSitePaths(basePath: string, routes: readonly string[]): SitePaths {
  const home = `${basePath}/`;
  const byPath = new Map(routes.flatMap((route) => ['', '/'].map((end) => [foldPath(route) + end, route])));
  const isOfSite = (path: string) => isBelow(`${path.split(/[?#]/, 1)[0]}/`, basePath);
  return {
    home,
    pathOf(req) {
      const path = belowBase(basePath, receivedPath(req));
      const route = byPath.get(path.toLowerCase());
      return route !== undefined && routedPath(route, req.app) === routedPath(path, req.app) ? route : path;
    },
    inBrowser(req, path) {
      if (path === '/') return home;
      // A request whose path has `basePath` shows that no proxy strips it.
      return isOfSite(path) || isOfSite(receivedPath(req)) ? path : basePath + path;
    },
  };
}
