import { ConfigurationError } from '../errors/errors.js';
import styles from '../html/browser/styles.css?text';
import { isBelow } from '../http/url.js';
import type { Site } from '../options/site.js';
import type { Visit } from '../session/visit.js';
import type { ErrorResponses } from './error-responses.js';
import type { SitePaths } from './paths.js';
import { assertSameOrigin, refuseMethod, refuseSpeculation } from './responses.js';

/** Responds to one route. @internal */
export type RouteHandler = (visit: Visit) => Promise<void> | void;

type Method = 'GET' | 'POST';
/** A route: its path, unless it is left out, and whether only pages of the same origin may request it. @internal */
export type RouteRow = [path: string | false, method: Method, handler: RouteHandler, origin?: 'same origin'];

function staticFile(contentType: string, text: string): RouteHandler {
  const body = Buffer.from(text);
  return function clinicianStaticFile({ res }) {
    res.setHeader('Content-Type', `${contentType}; charset=utf-8`);
    // The response may have the session cookie, which a proxy must not store for other users.
    res.setHeader('Cache-Control', 'private, max-age=3600');
    res.setHeader('X-Content-Type-Options', 'nosniff');
    // The page with the form of a logout has an opaque origin. A policy of the site, such as that of helmet, is for its own files.
    res.setHeader('Cross-Origin-Resource-Policy', 'cross-origin');
    res.end(body);
  };
}

export function fileRoutes({ routes }: Site, clientScript: string): RouteRow[] {
  return [
    [routes.clientScript, 'GET', staticFile('text/javascript', clientScript)],
    [routes.stylesheet, 'GET', staticFile('text/css', styles)],
  ];
}

/**
 * Responds to the drop-in's own routes, without Express: it works with any version and copy of it.
 * @param handlePageView receives the requests for the site's own pages
 */
export function createRouter(
  { routes, callbackPath }: Site,
  rows: readonly RouteRow[],
  using: { paths: SitePaths; errorResponses: ErrorResponses; handlePageView: RouteHandler },
): RouteHandler {
  const { paths, errorResponses, handlePageView } = using;
  const table = new Map<string, Map<string, RouteRow>>();
  for (const row of rows) {
    const [path, method] = row;
    if (path) table.set(path, (table.get(path) ?? new Map()).set(method, row));
  }
  const allPaths = [...table.keys()];
  /** Their GET requests start, use up or change something. */
  const usedOnce: unknown[] = [routes.login, callbackPath, routes.endSession, routes.loggedOut];

  async function run([, , handle, origin]: RouteRow, visit: Visit): Promise<void> {
    try {
      if (origin === 'same origin') assertSameOrigin(visit);
      await handle(visit);
    } catch (error) {
      await errorResponses.fail(error, visit);
    }
  }

  return function clinicianRoutes(visit) {
    const { req, next } = visit;
    const misplaced = req.baseUrl && mountError(visit, routes.basePath, allPaths);
    if (misplaced) return next(misplaced);
    const path = paths.pathOf(visit);
    const route = table.get(path);
    if (!route) return handlePageView(visit);
    // HEAD is GET without the body, except at the callback: an authorization response is used once.
    const isRead = req.method === 'HEAD' && path !== callbackPath;
    const row = route.get(isRead ? 'GET' : (req.method ?? ''));
    if (!row) return refuseMethod(visit, route.keys());
    if (usedOnce.includes(path) && refuseSpeculation(visit)) return;
    run(row, visit).catch(next);
  };
}

/**
 * @param basePath what a proxy may strip
 * @param paths the paths of the routes in the browser
 * @returns an error if the middleware is mounted below a path that some of its routes are not below
 */
function mountError(
  { req, receivedPath }: Visit,
  basePath: string,
  paths: readonly string[],
): ConfigurationError | undefined {
  const { baseUrl = '' } = req;
  // Express 5 matches a wildcard without the slash at the end of the path.
  if ([baseUrl, `${baseUrl}/`].includes(receivedPath)) return undefined;
  const isReachable = (path: string) => ['', basePath].some((prefix) => isBelow(path, prefix + baseUrl));
  const unreachable = paths.find((path) => !isReachable(path));
  if (unreachable === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL below '${baseUrl}' and set option basePath: '${baseUrl}'.`,
  );
}
