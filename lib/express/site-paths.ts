import type { SessionRequest } from '../session/site-session.js';

/**
 * Converts the paths that the site receives to those of the browser, which differ behind a proxy that strips `basePath`, or its
 * first segments. @internal
 */
export interface SitePaths {
  /** The front page of the site. */
  home: string;
  /** @returns the path of a request: for a route of this package, the path that the browser requested. */
  pathOf(req: SessionRequest): string;
  /** @returns the path in the browser of a page of the site. A path below `basePath` remains the same, and `/` is the front page. */
  inBrowser(req: SessionRequest, path: string): string;
}

/** @returns a path below `basePath`: it remains the same if it is there, otherwise `basePath` is put in front of it. */
export function belowBase(basePath: string, path: string): string {
  return path.startsWith(`${basePath}/`) ? path : basePath + path;
}

/** @returns what a proxy may strip: nothing, `basePath`, or its first segments. */
export function prefixesOf(basePath: string): string[] {
  const segments = basePath.split('/').slice(1);
  return ['', ...segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`)];
}

/**
 * @returns the path that the site receives, wherever the middleware is mounted. Only Express sets `baseUrl`. Below a wildcard, such
 * as `forRoutes('*')` of NestJS, `baseUrl` is the whole path, and `path` the slash that Express adds to the empty rest.
 */
export function receivedPath({ baseUrl, path = '', originalUrl, url }: SessionRequest): string {
  if (baseUrl === '') return path;
  const whole = (originalUrl ?? url ?? '').split('?', 1)[0] as string;
  return baseUrl === undefined || baseUrl === whole ? whole : baseUrl + path;
}

/** @param routes the paths of this package's routes in the browser, below `basePath` */
export function createSitePaths(basePath: string, routes: Iterable<string>): SitePaths {
  /** Each path that the site may receive for a route, with what the proxy has stripped from it. */
  const received = new Map<string, string>();
  const paths = [...routes];
  for (const prefix of prefixesOf(basePath)) {
    for (const path of paths) {
      const stripped = path.slice(prefix.length);
      if (!received.has(stripped)) received.set(stripped, prefix);
    }
  }
  const home = `${basePath}/`;
  const isBelow = (path: string) => path.startsWith(home) || path.split(/[?#]/, 1)[0] === basePath;

  /** A route of this package shows what the proxy strips. Another path outside of `basePath` can only be a stripped one. */
  function strippedFrom(req: SessionRequest): string {
    const path = receivedPath(req);
    return received.get(path) ?? (isBelow(path) ? '' : basePath);
  }

  return {
    home,
    pathOf(req) {
      const path = receivedPath(req);
      return (received.get(path) ?? '') + path;
    },
    inBrowser(req, path) {
      if (path === '/') return home;
      return isBelow(path) ? path : strippedFrom(req) + path;
    },
  };
}
