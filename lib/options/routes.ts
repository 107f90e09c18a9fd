import { closestName } from '../errors/closest-name.js';
import { belowBase, foldPath } from '../http/url.js';
import type { Problem } from '../schema.js';
import { optionError, type WithDefaults } from './option-table.js';

/** The paths of the routes, below option `basePath`. Set another path for each, or `false` to leave one out. */
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
   * is at that path: it then finishes every login.
   * @default true
   */
  callback?: boolean | undefined;
  /** Signs out on a POST from a page of the same origin. On a GET, shows a page that asks first. @default '/auth/logout' */
  logout?: string | false | undefined;
  /** Continues a sign-out at the service, once. `false` signs out on this site only. @default '/auth/end-session' */
  endSession?: string | false | undefined;
  /** Revokes and erases everything stored about the user, in every session, on a POST from a page of the same origin. @default '/auth/forget' */
  forget?: string | false | undefined;
  /** Shows that the user is signed out. The service redirects back to it. @default '/auth/logged-out' */
  loggedOut?: string | false | undefined;
  /** The page that checks the session at the service, for `sessionCheckFrame()`. @default '/auth/session-check' */
  sessionCheck?: string | false | undefined;
  /** The script of the buttons. @default '/auth/clinician.js' */
  clientScript?: string | false | undefined;
  /** The style sheet of the button and the pages. @default '/auth/clinician.css' */
  stylesheet?: string | false | undefined;
}

/** @returns the default path of each route. */
export const defaultRoutes = (base: string) => ({
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
  throw optionError(`routes.${name}`, `routes.${name} must be ${types}.`);
}

/** The paths of all routes in the browser. @internal */
export type ResolvedRoutes = Readonly<WithDefaults<Routes> & { basePath: string }>;

/** @returns what is wrong with option `basePath`. */
export function basePathProblem(basePath: string): Problem | undefined {
  if (BASE_PATH.test(basePath)) return undefined;
  return "must be '' or a path such as '/app', without a final slash, '//', '.' or '..'.";
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
    throw optionError('routes.base', "routes.base must be a path such as '/auth', without a final slash.");
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
