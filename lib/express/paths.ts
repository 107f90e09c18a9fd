import { foldPath } from '../http/url.js';
import { routePaths } from '../options/routes.js';
import type { Site } from '../options/site.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Visit } from '../session/visit.js';
import { returnToPathsOf } from '../sign-in/return-to.js';

/** The maximum length of `returnTo` in a link, which a redirect has in its header: encoding makes it longer. */
const MAX_ENCODED_LENGTH = 1500;

/** @returns a path as the router of the site compares it, by the two settings of Express. */
function routedPath(path: string, app: SessionRequest['app']): string {
  const isEnabled = (setting: string) => typeof app?.enabled === 'function' && app.enabled(setting);
  const named = isEnabled('case sensitive routing') ? path : path.toLowerCase();
  return isEnabled('strict routing') ? named : named.replace(/\/$/, '');
}

/** Converts the paths that the site receives to those of the browser, which differ behind a proxy that strips `basePath`. @internal */
export class SitePaths {
  readonly #basePath: string;
  /** In lower case. */
  readonly #home: string;
  readonly #login: string | false;
  /** The routes by their paths in lower case, with and without a final slash. */
  readonly #routes: ReadonlyMap<string, string>;

  readonly returnTo: (requested: unknown) => string;

  constructor(site: Pick<Site, 'origin' | 'routes' | 'callbackPath'>) {
    this.returnTo = returnToPathsOf(site);
    this.#basePath = site.routes.basePath;
    this.#home = `${this.#basePath}/`.toLowerCase();
    this.#login = site.routes.login;
    const names = (route: string) => ['', '/'].map((end) => [foldPath(route) + end, route] as const);
    this.#routes = new Map(routePaths(site.routes, site.callbackPath).flatMap(names));
  }

  /** @returns the path of a request in the browser: for a route of this package, exactly the path that the options have. */
  pathOf({ req, receivedPath: received }: Visit): string {
    const path = received.toLowerCase().startsWith(this.#home) ? received : this.#basePath + received;
    const route = this.#routes.get(path.toLowerCase());
    if (route === undefined || route === path) return path;
    return routedPath(route, req.app) === routedPath(path, req.app) ? route : path;
  }

  /** @returns the path in the browser of a page of the site. A path below `basePath` remains the same, and `/` is the front page. */
  inBrowser(visit: Visit, path: string): string {
    if (path === '/') return `${this.#basePath}/`;
    // A request whose path has `basePath` shows that no proxy strips it.
    return this.#isOfSite(path) || this.#isOfSite(visit.receivedPath) ? path : this.#basePath + path;
  }

  /**
   * @param query more options of the login, as the end of a query
   * @returns the URL that starts a login and returns to a path of the site; undefined if the site mounts no login route
   */
  login(returnTo: string, query = ''): string | undefined {
    if (!this.#login) return undefined;
    const value = encodeURIComponent(returnTo);
    return `${this.#login}?returnTo=${value.length > MAX_ENCODED_LENGTH ? '%2F' : value}${query}`;
  }

  #isOfSite(path: string): boolean {
    return `${path.split(/[?#]/, 1)[0]}/`.toLowerCase().startsWith(this.#home);
  }
}
