import type { Events } from '../events/events.js';
import { isLoopbackHost } from '../http/url.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';

/** Marks a request that was redirected to the host of `callbackURL`, so that it is redirected only once. */
export const MARKER = 'from_other_host';

/** A site on plain `connect` or `node:http` has no application with settings. */
function trustsProxyOf({ app, socket }: SessionRequest): boolean {
  const settings = app as { get?(name: string): unknown } | undefined;
  const trusts = typeof settings?.get === 'function' && settings.get('trust proxy fn');
  return typeof trusts === 'function' && trusts(socket.remoteAddress, 0) === true;
}

/**
 * @returns the host that the browser requests, as Express reads it; undefined if it is unknown. The value is only compared, and
 * is never a part of a redirect.
 */
function hostOf(req: SessionRequest): string | undefined {
  const forwarded = String(req.headers['x-forwarded-host'] ?? '')
    .split(',', 1)[0]
    ?.trim();
  // A proxy that is not trusted may have replaced the Host header, too.
  if (forwarded && !trustsProxyOf(req)) return undefined;
  return forwarded || req.headers.host;
}

/** @returns the name in a host. The port is ignored, as browsers do for cookies. */
function hostnameIn(host: string | undefined): string | undefined {
  return host && URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : undefined;
}

/** The paths of the drop-in in the browser. @internal */
export interface CallbackHostPaths {
  /** See `SitePaths`. @default the same path */
  inBrowser?: (req: SessionRequest, path: string) => string;
  /** @returns true for a request of the drop-in's login route, whose path in the browser is known */
  isLoginRoute?: (req: SessionRequest) => boolean;
}

interface CallbackHostOptions extends CallbackHostPaths {
  callbackURL: string;
  events: Pick<Events, 'report'>;
}

/**
 * Finds logins that start on another host than that of `callbackURL`, for example `localhost` instead of `127.0.0.1`: the callback
 * would not receive their cookies. A marked request is never redirected, as it would loop behind a proxy that replaces the host. Any
 * client can send the marker, so a request for the expected host counts more. @internal
 */
export class CallbackHost {
  readonly #options: CallbackHostOptions;
  readonly #callback: URL;
  /** Whether the requests show the host that the browser requests: unknown until one has the expected host, or a marker. */
  #isHostKnown: boolean | undefined;
  #isReported = false;

  constructor(options: CallbackHostOptions) {
    this.#options = options;
    this.#callback = new URL(options.callbackURL);
  }

  /**
   * @returns the URL on the host of `callbackURL` to redirect to first; undefined for a request on that host, or if no host is
   * known.
   */
  redirectTo(req: SessionRequest): string | undefined {
    const { inBrowser = (_req, path) => path, isLoginRoute = () => false } = this.#options;
    const { origin, hostname: expected } = this.#callback;
    this.#checkPort(req);
    const host = this.#otherHostOf(req);
    const path = req.originalUrl ?? req.url ?? '';
    if (host === undefined || req.method !== 'GET' || !path.startsWith('/')) return undefined;
    const isRedirected = queryOf(req).has(MARKER);
    // A browser that was redirected requests the expected host: a proxy has replaced it.
    if (isRedirected) this.#isHostKnown ??= false;
    if (isRedirected || this.#isHostKnown === false) return undefined;
    // Behind a proxy that strips a part of the path and replaces the host, a redirect to another path would not come back.
    if (this.#isHostKnown === undefined && !isLoopbackHost(expected) && !isLoginRoute(req)) return undefined;
    this.#report(host);
    const url = new URL(origin + inBrowser(req, path));
    // The page that opened a popup is on another origin, so the popup cannot return to it.
    url.searchParams.delete('display');
    url.searchParams.set(MARKER, '1');
    return url.href;
  }

  /** @returns true for a request that a browser has sent to another host. */
  isOther(req: SessionRequest): boolean {
    return this.#otherHostOf(req) !== undefined && this.#isHostKnown === true;
  }

  /** Learns from a request at the callback whether a proxy passes on the host that the browser requests. */
  observe(req: SessionRequest): void {
    this.#otherHostOf(req);
  }

  /** @returns the host name of a request for another host, also of one that a proxy may have renamed. */
  #otherHostOf(req: SessionRequest): string | undefined {
    const { host: expectedHost, hostname: expected } = this.#callback;
    const host = hostOf(req);
    const hostname = host === expectedHost ? expected : hostnameIn(host);
    // A client can send the forwarded host through a proxy that does not overwrite it. It does not change what is known.
    if (hostname === expected) this.#isHostKnown = req.headers['x-forwarded-host'] ? (this.#isHostKnown ?? true) : true;
    // A browser on this machine cannot request a public site by a loopback address: a proxy or a test does.
    const isComparable = hostname !== undefined && isLoopbackHost(hostname) === isLoopbackHost(expected);
    return isComparable && hostname !== expected ? hostname : undefined;
  }

  /**
   * Reports a page on another port of this machine: the service redirects the browser to the port of `callbackURL`, where the site
   * does not listen, unless a proxy does. A page on that port links to the login.
   */
  #checkPort(req: SessionRequest): void {
    const { host: expected, hostname, origin } = this.#callback;
    const { 'sec-fetch-dest': dest, referer = '' } = req.headers;
    const host = hostOf(req);
    const isOther = isLoopbackHost(hostname) && host !== expected && hostnameIn(host) === hostname;
    if (isOther && dest === 'document' && !referer.startsWith(`${origin}/`)) this.#report(host as string);
  }

  #report(host: string): void {
    if (this.#isReported) return;
    this.#isReported = true;
    this.#options.events.report('other_host', { host, origin: this.#callback.origin });
  }
}
