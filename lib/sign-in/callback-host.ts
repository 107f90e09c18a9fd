import { WARNING_CODES } from '../error-codes.js';
import type { Events } from '../events.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { isLoopbackHost } from '../url.js';

/** Marks a request that was redirected to the host of `callbackURL`, so that it is redirected only once. */
const MARKER = 'from_other_host';

/**
 * Finds logins that start on another host than that of `callbackURL`, for example `localhost` instead of `127.0.0.1`: the callback
 * would not receive their cookies. @internal
 */
export interface CallbackHost {
  /** @returns the URL on the host of `callbackURL` to redirect to first; undefined for a request on that host, or where no host is known. */
  redirectTo(req: SessionRequest): string | undefined;
  /** @returns true for a request that a browser has sent to another host. */
  isOther(req: SessionRequest): boolean;
  /** Learns from a request at the callback whether a proxy passes on the host that the browser requests. */
  observe(req: SessionRequest): void;
}

/** A site on plain `connect` or `node:http` has no application with settings. */
function trustsProxyOf({ app, socket }: SessionRequest): boolean {
  const settings = app as { get?(name: string): unknown } | undefined;
  const trusts = typeof settings?.get === 'function' && settings.get('trust proxy fn');
  return typeof trusts === 'function' && trusts(socket.remoteAddress, 0) === true;
}

/**
 * @returns the host that the browser requests, as Express reads it; undefined where it is not known. The value is only compared, and
 * never a part of a redirect.
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
  events: Pick<Events, 'emit' | 'warn'>;
}

export function createCallbackHost(options: CallbackHostOptions): CallbackHost {
  const { callbackURL, events, inBrowser = (_req, path) => path, isLoginRoute = () => false } = options;
  const { origin, host: expectedHost, hostname: expected } = new URL(callbackURL);
  /** Whether the requests show the host that the browser requests: unknown until one has the expected host, or a marker. */
  let isHostKnown: boolean | undefined;
  let isReported = false;

  /** @returns the host name of a request for another host, also of one that a proxy may have renamed. */
  function otherHostOf(req: SessionRequest): string | undefined {
    const host = hostOf(req);
    const hostname = host === expectedHost ? expected : hostnameIn(host);
    // A client can send the forwarded host through a proxy that does not overwrite it. It does not change what is known.
    if (hostname === expected) isHostKnown = req.headers['x-forwarded-host'] ? (isHostKnown ?? true) : true;
    // A browser on this machine cannot request a public site by a loopback address: a proxy or a test does.
    const isComparable = hostname !== undefined && isLoopbackHost(hostname) === isLoopbackHost(expected);
    return isComparable && hostname !== expected ? hostname : undefined;
  }

  function report(host: string): void {
    if (isReported) return;
    isReported = true;
    events.emit('other_host', { host, origin });
    events.warn({ code: 'other_host', message: WARNING_CODES.other_host });
  }

  return {
    redirectTo(req) {
      const host = otherHostOf(req);
      const path = req.originalUrl ?? req.url ?? '';
      if (host === undefined || req.method !== 'GET' || !path.startsWith('/')) return undefined;
      // A browser that was redirected requests the expected host: a proxy has replaced it.
      if (queryOf(req).has(MARKER)) isHostKnown ??= false;
      if (queryOf(req).has(MARKER) || isHostKnown === false) return undefined;
      // Behind a proxy that strips a part of the path and replaces the host, a redirect to another path would not come back.
      if (isHostKnown === undefined && !isLoopbackHost(expected) && !isLoginRoute(req)) return undefined;
      report(host);
      const url = new URL(origin + inBrowser(req, path));
      // The page that opened a popup is on another origin, so the popup cannot return to it.
      url.searchParams.delete('display');
      url.searchParams.set(MARKER, '1');
      return url.href;
    },
    isOther: (req) => otherHostOf(req) !== undefined && isHostKnown === true,
    observe: (req) => void otherHostOf(req),
  };
}
