import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import { Sealer } from './sealer.js';
import type { Secret } from './secret.js';

/**
 * How many bytes the long cookies of all instances on a host may use together in a request header. With the short ones, which are
 * set without a check, those of one instance have less than 3 kB, and those of four less than 4 kB: nginx accepts 8 kB for
 * a line of request headers and 4 kB of response headers by default.
 */
const MAX_BYTES = 2400;
/** More than a browser has of them. A request with more has cookies that this package has not set. */
const MAX_LONG_COOKIES = 8;
const MAX_VALUE_LENGTH = 2500;
/** What `cookie` accepts as a name. A browser sends other names only if another program has set them. */
const VALID_NAME = /^[\u0021-\u003A\u003C\u003E-\u007E]+$/;

/**
 * Reads and sets one cookie of this package: HttpOnly, SameSite=Lax, for every path; on https also Secure and bound to the host.
 * @internal
 */
interface Cookie {
  /** @returns the value; undefined for a missing cookie, and for one that cannot be decrypted. */
  read(req: IncomingMessage): string | undefined;
  /** @returns the number of bytes of the cookie in a request header; undefined when the value is too long for a cookie. */
  bytes(value: string): number | undefined;
  /** @returns false, and sets nothing, when the value is too long. */
  set(res: ServerResponse, value: string): boolean;
  /** Removes the cookie from a browser that sent it. */
  clear(req: IncomingMessage, res: ServerResponse): void;
}

/** Is a cookie whose value is encrypted. @internal */
interface SealedCookie extends Cookie {
  /** Returns true for a cookie that names a secret that this process does not have. */
  isOfUnknownSecret(req: IncomingMessage): boolean;
}

/** Creates and finds the cookies of one site. @internal */
export interface Cookies {
  /** @param maxAgeSeconds without it, the cookie ends with the browser's session */
  plain(name: string, maxAgeSeconds?: number): Cookie;
  /** Creates a cookie whose value is encrypted, and opens under this name only. */
  sealed(name: string, maxAgeSeconds: number): SealedCookie;
  /** @returns the first cookies of a request whose names start with `prefix`: the rest of each name. */
  startingWith(req: IncomingMessage, prefix: string): string[];
  /**
   * Returns true when a long cookie of this many bytes fits into the request headers that the browser sends next, with those of all
   * instances on this host in the request and in the response.
   */
  hasRoom(req: IncomingMessage, res: ServerResponse, bytes: number): boolean;
  /**
   * Removes the oldest long cookies, first the results of earlier attempts, until one of this many bytes fits.
   * @param except the name of a cookie to keep
   * @returns false, and removes nothing, when it is too long without the others
   */
  makeRoom(req: IncomingMessage, res: ServerResponse, bytes: number, except?: string): boolean;
  /** Sets a cookie to the first of these values, as JSON, that fits. @returns false when none does. */
  setFirst(cookie: Cookie, req: IncomingMessage, res: ServerResponse, values: readonly object[]): boolean;
}

const parsed = new WeakMap<IncomingMessage, ReturnType<typeof parseCookie>>();

/** @returns the cookies of a request, which is parsed once. */
function parsedCookies(req: IncomingMessage): ReturnType<typeof parseCookie> {
  const cookies = parsed.get(req) ?? parseCookie(req.headers.cookie ?? '');
  parsed.set(req, cookies);
  return cookies;
}

/**
 * @returns the cookies of a request as pairs of name and value, of which the browser sends the oldest first (RFC 6265 section 5.4).
 * Malformed names are ignored: they cannot be set or removed.
 */
export function requestCookies(req: IncomingMessage): [name: string, value: string][] {
  const pairs = Object.entries(parsedCookies(req));
  return pairs.filter((pair): pair is [string, string] => pair[1] !== undefined && VALID_NAME.test(pair[0]));
}

/** @returns the cookies that a response sets or removes. */
function responseCookies(res: ServerResponse): [name: string, value: string][] {
  const lines = [res.getHeader('Set-Cookie') ?? []].flat();
  return lines.map((line) => {
    const [pair = ''] = String(line).split(';', 1);
    const end = pair.indexOf('=');
    return [pair.slice(0, end), pair.slice(end + 1)];
  });
}

/** Adds a cookie, unless the response was already sent: a timeout of the site may have ended it. */
function append(res: ServerResponse, cookie: SetCookie): void {
  if (!res.headersSent) res.appendHeader('Set-Cookie', stringifySetCookie(cookie));
}

/** Removes a cookie that another library set from the browser. @param attributes those that it was set with */
export function removeCookie(res: ServerResponse, name: string, attributes: object): void {
  append(res, { ...attributes, name, value: '', maxAge: 0 });
}

/** @returns the number of bytes of a cookie in a request header; undefined for a value that is too long for a cookie. */
function bytesOf(name: string, valueLength: number): number | undefined {
  return valueLength > MAX_VALUE_LENGTH ? undefined : name.length + valueLength;
}

/** How many characters of the id of an instance its cookies have in their names: enough for the instances of one site. */
const INSTANCE_LENGTH = 6;

/**
 * @param options.secure true on https: the `__Host-` prefix then binds each cookie to the host (RFC 6265bis section 4.1.3.2)
 * @param options.onUnknownSecret see {@link Sealer}
 * @param options.instance see `instanceID()`. The cookies of each instance on a site have their own names, and open there only
 * @param options.basePath the path of the site. Sites below two paths of one host have other names: `__Host-` requires `Path=/`
 */
export function createCookies(options: {
  secure: boolean;
  secrets: readonly Secret[];
  onUnknownSecret?: () => void;
  instance: string;
  basePath?: string;
}): Cookies {
  const { secure, instance, basePath = '' } = options;
  const sealer = new Sealer(options.secrets, 'cookies', options.onUnknownSecret);
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  const site = basePath === '' ? instance : createHash('sha256').update(`${instance} ${basePath}`).digest('base64url');
  const host = `${secure ? '__Host-' : ''}clinician-`;
  const start = `${host}${site.slice(0, INSTANCE_LENGTH)}-`;
  /** The long cookies of any instance: results of login attempts and sign-outs that are not read yet, and attempts in progress. */
  const longName = new RegExp(
    `^${host}[\\w-]{${INSTANCE_LENGTH}}-(?:(end-session|failed|response|user-change)|tx-[\\w-]{16})$`,
  );
  const fullNameOf = (name: string) => start + name;
  const associatedData = (name: string) => JSON.stringify([instance, name]);

  function rawValue(req: IncomingMessage, name: string): string | undefined {
    // This runs on every request. Most have no cookie of this instance, and are not parsed.
    return req.headers.cookie?.includes(start) ? parsedCookies(req)[name] : undefined;
  }

  function plain(shortName: string, maxAgeSeconds?: number): Cookie {
    const name = fullNameOf(shortName);
    return {
      read: (req) => rawValue(req, name),
      bytes: (value) => bytesOf(name, value.length),
      set(res, value) {
        if (value.length > MAX_VALUE_LENGTH) return false;
        append(res, { ...attributes, name, value, ...(maxAgeSeconds !== undefined && { maxAge: maxAgeSeconds }) });
        return true;
      },
      clear(req, res) {
        if (rawValue(req, name) !== undefined) removeCookie(res, name, attributes);
      },
    };
  }

  return {
    plain,
    sealed(shortName, maxAgeSeconds) {
      const name = fullNameOf(shortName);
      const cookie = plain(shortName, maxAgeSeconds);
      /** This package sets no longer value, so a longer one is not decrypted. */
      const sealedValue = (req: IncomingMessage) => {
        const value = cookie.read(req);
        return value !== undefined && value.length <= MAX_VALUE_LENGTH ? value : undefined;
      };
      return {
        clear: cookie.clear,
        read(req) {
          const value = sealedValue(req);
          return value === undefined ? undefined : sealer.open(value, associatedData(name));
        },
        isOfUnknownSecret(req) {
          const value = sealedValue(req);
          return value !== undefined && sealer.isOfUnknownSecret(value);
        },
        bytes: (value) => bytesOf(name, sealer.sealedLength(value)),
        set: (res, value) => cookie.set(res, sealer.seal(value, associatedData(name))),
      };
    },
    startingWith(req, prefix) {
      const first = fullNameOf(prefix);
      // A browser that has not removed a cookie sends it empty.
      const names = requestCookies(req).flatMap(([name, value]) => (name.startsWith(first) && value ? [name] : []));
      return names.slice(0, MAX_LONG_COOKIES).map((name) => name.slice(first.length));
    },
    hasRoom,
    makeRoom,
    setFirst(cookie, req, res, values) {
      const fits = (value: string) => hasRoom(req, res, cookie.bytes(value) ?? Number.POSITIVE_INFINITY);
      const first = values.map((value) => JSON.stringify(value)).find(fits);
      return first !== undefined && cookie.set(res, first);
    },
  };

  /** Returns the bytes of each long cookie that the browser sends next, the oldest first. */
  function longCookies(req: IncomingMessage, res: ServerResponse): Map<string, number> {
    const values = [...new Map([...requestCookies(req), ...responseCookies(res)])];
    const long = values.filter(([name, value]) => value && longName.test(name));
    // Each is sent as `name=value; `.
    return new Map(long.map(([name, value]) => [name, name.length + value.length + 3]));
  }

  function hasRoom(req: IncomingMessage, res: ServerResponse, bytes: number): boolean {
    return sum(longCookies(req, res)) + bytes <= MAX_BYTES;
  }

  function makeRoom(req: IncomingMessage, res: ServerResponse, bytes: number, except = ''): boolean {
    if (bytes > MAX_BYTES) return false;
    const long = longCookies(req, res);
    let total = sum(long) + bytes;
    const isResult = (name: string) => longName.exec(name)?.[1] !== undefined;
    const removable = [...long.keys()].filter((name) => name !== fullNameOf(except));
    const inOrder = [...removable.filter(isResult), ...removable.filter((name) => !isResult(name))];
    for (const name of inOrder.slice(0, MAX_LONG_COOKIES)) {
      if (total <= MAX_BYTES) break;
      removeCookie(res, name, attributes);
      total -= long.get(name) as number;
    }
    return true;
  }
}

function sum(bytes: ReadonlyMap<string, number>): number {
  return [...bytes.values()].reduce((total, one) => total + one, 0);
}
