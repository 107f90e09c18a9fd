import { ConfigurationError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import { type Layer, layersAt, layersOf } from '../session/express-layers.js';
import type { SessionRequest } from '../session/site-session.js';
import { prefixesOf, receivedPath } from './paths.js';

interface MountedInstance {
  basePath: string;
  origin: string;
  /** See `instanceID()`. */
  instance: string;
  /** The member of the middleware by which it is found among the handlers of an application. */
  health: unknown;
  events: Pick<Events, 'emit' | 'warn'>;
  isDevelopment: boolean;
}

/** The instance of each URL path that an application serves, or receives if a proxy strips `basePath`. */
const instancesOfApps = new WeakMap<object, Map<string, { instance: string; isStripped: boolean }>>();

/** Detects that the middleware is mounted so that some of its routes never receive requests. @internal */
export class MountCheck {
  readonly #mounted: MountedInstance;
  readonly #prefixes: readonly string[];
  /** True if the middleware has received a request, or a missing route was reported. */
  #isSettled = false;
  #hasReportedPage = false;

  constructor(mounted: MountedInstance) {
    this.#mounted = mounted;
    this.#prefixes = prefixesOf(mounted.basePath);
  }

  /**
   * @param paths the paths of the routes in the browser
   * @returns an error if a request that the middleware has received shows that these routes cannot all receive requests
   */
  errorAt(req: SessionRequest, paths: readonly string[]): Error | undefined {
    const { app, baseUrl } = req;
    // Express 5 matches a wildcard without the slash at the end of the path.
    const isBelow = baseUrl && ![baseUrl, `${baseUrl}/`].includes(receivedPath(req));
    // Only applications of Express are known here.
    const error = (isBelow && this.#mountError(baseUrl, paths)) || (app && this.#instanceError(app, paths));
    this.#isSettled ||= !error;
    return error || undefined;
  }

  /**
   * Reports once that nothing in the application receives requests for a route. Only Express shows its handlers, and a function
   * of the site or another process may call the middleware: so the request continues.
   * @param path a route that the browser is about to be sent to
   */
  reportMissing(req: SessionRequest, path: string): void {
    const layers = this.#isSettled ? undefined : layersOf(req.app);
    if (!layers || this.#prefixes.some((prefix) => this.#receives(layers, path.slice(prefix.length)))) return;
    this.#isSettled = true;
    const error = this.#isIn(layers) ? mountedBelow(path) : notMounted(path);
    this.#mounted.events.emit('request_failed', { error });
    this.#mounted.events.warn(error);
  }

  /**
   * Reports once, in development, that the page to which a sign-in returns has no `req.user`, because the middleware receives no
   * requests for it, or only after its route.
   */
  reportPage(req: SessionRequest, returnTo: string): void {
    const { isDevelopment, events } = this.#mounted;
    const layers = isDevelopment && !this.#hasReportedPage ? layersOf(req.app) : undefined;
    if (!layers || !this.#isIn(layers)) return;
    const path = returnTo.split(/[?#]/, 1)[0] as string;
    const isRouteFirst = (prefix: string) =>
      layersAt(layers, path.slice(prefix.length)).find((layer) => layer.route || this.#isOwn(layer))?.route;
    if (!this.#prefixes.filter((prefix) => path.startsWith(`${prefix}/`)).every(isRouteFirst)) return;
    this.#hasReportedPage = true;
    events.warn(notBefore(path));
  }

  /** @returns true if a handler may respond to a path. One for every path, such as a parser of bodies, does not. */
  #receives(layers: readonly Layer[], path: string): boolean {
    return layersAt(layers, path).some((layer) => {
      const isForEveryPath = layer.slash || layer.regexp?.fast_slash;
      return !isForEveryPath || layer.name === 'mounted_app' || this.#isOwn(layer);
    });
  }

  /** @returns true if the middleware is among the handlers, at any path. */
  #isIn(layers: readonly Layer[]): boolean {
    return layers.some((layer) => this.#isOwn(layer) || this.#isIn(layer.handle.stack ?? []));
  }

  /** Tracing replaces the handlers by functions with the same members. */
  #isOwn({ handle }: Layer): boolean {
    return handle.health === this.#mounted.health;
  }

  /**
   * @returns an error if the middleware is mounted below a path that some of its routes are not below, also if a proxy strips
   * `basePath` or its first segments.
   */
  #mountError(baseUrl: string, paths: readonly string[]): Error | undefined {
    const isReachable = (path: string) => this.#prefixes.some((prefix) => path.startsWith(`${prefix}${baseUrl}/`));
    const unreachable = paths.find((path) => !isReachable(path));
    if (unreachable === undefined) return undefined;
    return new ConfigurationError(
      'mount_path_conflict',
      `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never receives requests for '${unreachable}'. Write app.use(clinician), or put callbackURL below '${baseUrl}' and set option basePath: '${baseUrl}'.`,
    );
  }

  /**
   * @returns an error for a path that another instance in the same application has too: only one of them receives its requests.
   * Instances with other origins in `callbackURL` are for other hosts. A proxy strips the prefix of one instance at most.
   */
  #instanceError(app: object, paths: readonly string[]): Error | undefined {
    const { origin, instance } = this.#mounted;
    const instances = instancesOfApps.get(app) ?? new Map<string, { instance: string; isStripped: boolean }>();
    instancesOfApps.set(app, instances);
    for (const prefix of this.#prefixes) {
      const isStripped = prefix !== '';
      for (const path of paths) {
        const received = path.slice(prefix.length);
        const other = instances.get(origin + received);
        if (other === undefined) instances.set(origin + received, { instance, isStripped });
        else if (other.instance !== instance && !(isStripped && other.isStripped)) {
          return new ConfigurationError(
            'mount_path_conflict',
            `passport-clinician: two instances of clinicianLogin() have the path '${received}', so that one of them never receives requests for it. Set callbackURL, basePath or option routes.base of one of them to other paths.`,
          );
        }
      }
    }
    return undefined;
  }
}

function mountedBelow(path: string): ConfigurationError {
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: clinicianLogin() is mounted below a path, and never receives requests for '${path}', which is not below it. Write app.use(clinician), or put callbackURL below that path and set it as option basePath.`,
  );
}

function notMounted(path: string): ConfigurationError {
  return new ConfigurationError(
    'middleware_missing',
    `passport-clinician: nothing in this application receives requests for '${path}', where the browser is sent to sign in. Put app.use(clinician) after session(), before your routes.`,
  );
}

function notBefore(path: string): ConfigurationError {
  return new ConfigurationError(
    'middleware_missing',
    `passport-clinician: the route for '${path}', to which the sign-in returns, has no req.user: it is before app.use(clinician), or clinicianLogin() is mounted below a path. Put app.use(clinician) without a path after session(), before your routes.`,
  );
}
