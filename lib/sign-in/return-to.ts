import { foldPath } from '../http/url.js';
import { routePaths } from '../options/routes.js';
import type { Site } from '../options/site.js';
import { MAX_RETURN_TO_LENGTH } from '../session/visit.js';

const SLASH_LIKE = /[\\\u2044\u2215\u29F5\u29F8\uFE68\uFF0F\uFF3C]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are refused
const CONTROL = /[\u0000-\u001F\u007F-\u009F\u2028\u2029]/;

type ReturnToSite = Pick<Site, 'origin' | 'routes' | 'callbackPath'>;

/** @returns the routes of an instance: to return to one of them would start or end another login. */
function ownRoutesOf(site: ReturnToSite): ReadonlySet<string> {
  const paths = routePaths(site.routes, site.callbackPath);
  // As the site receives them: a proxy may have stripped `basePath`.
  const received = paths.map((path) => path.slice(site.routes.basePath.length));
  return new Set([...paths, ...received].map((path) => routeOf(parsePath(path, site.origin)?.decoded ?? path)));
}

/** @returns the path, decoded, in a form that is the same for all paths that Express or a proxy may take for it. */
function routeOf(path: string): string {
  return foldPath(path.replaceAll(/\/+/g, '/'));
}

function parsePath(path: string, origin: string): { url: URL; decoded: string } | undefined {
  try {
    const url = new URL(origin + path);
    return { url, decoded: decodeURIComponent(url.pathname) };
  } catch {
    return undefined;
  }
}

/** @returns {@link returnToPath} for one site. */
export function returnToPathsOf(site: ReturnToSite): (requested: unknown) => string {
  const ownRoutes = ownRoutesOf(site);
  return (requested) => returnToPath(requested, site.origin, ownRoutes);
}

/**
 * @returns the path to redirect to after the login: the requested one when it belongs to this origin, is not too long and is no
 * route of this instance, else `/`.
 * Never a URL that a browser resolves to another host (`//x`, `/\x`, their encoded forms, a scheme, a control character).
 */
function returnToPath(requested: unknown, origin: string, ownRoutes: ReadonlySet<string>): string {
  if (typeof requested !== 'string' || requested.length > MAX_RETURN_TO_LENGTH) return '/';
  if (requested === '/' || !requested.startsWith('/') || requested.startsWith('//')) return '/';
  if (SLASH_LIKE.test(requested) || CONTROL.test(requested)) return '/';
  const parsed = parsePath(requested, origin);
  if (parsed === undefined || parsed.url.origin !== origin) return '/';
  const { url, decoded } = parsed;
  if (decoded.startsWith('//') || SLASH_LIKE.test(decoded) || CONTROL.test(decoded)) return '/';
  if (ownRoutes.has(routeOf(decoded))) return '/';
  const normalized = url.pathname + url.search + url.hash;
  return normalized.length > MAX_RETURN_TO_LENGTH ? '/' : normalized;
}
