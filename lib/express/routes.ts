import { optionError } from '../options/option-table.js';
import type { PageLinks } from './error-responses.js';

/** Sets the paths of the drop-in's routes. Each can be another path, or `false` to leave the route out. */
export interface Routes {
  /** Starts a login: `GET /auth/login?returnTo=/path`. @default '/auth/login' */
  login?: string | false;
  /** Finishes a login, at the path of `callbackURL`. @default true */
  callback?: boolean;
  /** Signs out: a POST from a page of the same origin. @default '/auth/logout' */
  logout?: string | false;
  /** Revokes and erases everything stored about the user, in every session: a POST from a page of the same origin. @default '/auth/forget' */
  forget?: string | false;
  /** Shows that the user is signed out; the service redirects back to it. @default '/auth/logged-out' */
  loggedOut?: string | false;
  /** The page that checks the session at the service, for `sessionCheckFrame()`. @default '/auth/session-check' */
  sessionCheck?: string | false;
  /** The client script, for popups and the session check. @default '/auth/clinician.js' */
  clientScript?: string | false;
  /** The style sheet of the button and the pages. @default '/auth/clinician.css' */
  stylesheet?: string | false;
}

const DEFAULT_ROUTES = {
  login: '/auth/login',
  callback: true,
  logout: '/auth/logout',
  forget: '/auth/forget',
  loggedOut: '/auth/logged-out',
  sessionCheck: '/auth/session-check',
  clientScript: '/auth/clinician.js',
  stylesheet: '/auth/clinician.css',
} as const satisfies Required<Routes>;

const NAMES = Object.keys(DEFAULT_ROUTES);
const PATH = /^\/[^\s?#]*$/;

function checkRoute(name: string, path: unknown): void {
  if (!NAMES.includes(name)) {
    throw optionError('option_misspelled', `there is no route '${name}'. The routes are: ${NAMES.join(', ')}.`);
  }
  if (name === 'callback') {
    if (typeof path === 'boolean' || path === undefined) return;
    throw optionError('option_invalid', "routes.callback must be true or false: its path is that of 'callbackURL'.");
  }
  if (path === false || path === undefined || (typeof path === 'string' && PATH.test(path))) return;
  throw optionError('option_invalid', `routes.${name} must be a path that starts with '/', or false.`);
}

/** @returns the routes with their defaults. Throws for an unknown route, an invalid path, and one path used twice. */
export function resolveRoutes(routes: Routes | undefined, callbackPath: string): Routes {
  const resolved = { ...DEFAULT_ROUTES, ...routes };
  const used = new Map([[callbackPath, 'callbackURL']]);
  for (const [name, path] of Object.entries(resolved) as [string, unknown][]) {
    checkRoute(name, path);
    if (typeof path !== 'string') continue;
    const other = used.get(path);
    if (other !== undefined)
      throw optionError('option_invalid', `routes.${name} and ${other} are the same path, '${path}': change one.`);
    used.set(path, `routes.${name}`);
  }
  return resolved;
}

/** @returns the links of this package's pages. */
export function pageLinks(routes: Routes, siteName: string): PageLinks {
  return {
    siteName,
    canLogin: Boolean(routes.login),
    login: (returnTo) => (routes.login ? `${routes.login}?returnTo=${encodeURIComponent(returnTo)}` : '/'),
    stylesheet: routes.stylesheet || DEFAULT_ROUTES.stylesheet,
    script: routes.clientScript || DEFAULT_ROUTES.clientScript,
  };
}

/** @returns the path of the page that checks the session at the service. Throws where a route that it needs is left out. */
export function sessionCheckPath(routes: Routes): string {
  for (const name of ['sessionCheck', 'login', 'callback', 'logout'] as const) {
    if (routes[name] === false)
      throw optionError(
        'option_invalid',
        `sessionCheckFrame() needs a route that is left out by routes.${name}: false.`,
      );
  }
  return routes.sessionCheck || DEFAULT_ROUTES.sessionCheck;
}
