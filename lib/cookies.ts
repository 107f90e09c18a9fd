import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import { createSealer } from './sealer.js';
import type { Secret } from './secret.js';

/**
 * How many bytes the long cookies of this package may use together in a request header. With the short ones, which are set without
 * a check, all have less than 3 kB: nginx accepts 8 kB of request headers and 4 kB of response headers by default.
 */
const MAX_BYTES = 2600;
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
  /** @returns the cookies of a request whose names start with `prefix`: the rest of each name, and its bytes in the header. */
  startingWith(req: IncomingMessage, prefix: string): { suffix: string; bytes: number }[];
  /**
   * Returns true when a cookie of this many bytes fits into the request headers that the browser sends next, with the cookies of
   * this instance in the request and in the response.
   */
  hasRoom(req: IncomingMessage, res: ServerResponse, bytes: number): boolean;
  /** Sets a cookie to the first of these values, as JSON, that fits. @returns false when none does. */
  setFirst(cookie: Cookie, req: IncomingMessage, res: ServerResponse, values: readonly object[]): boolean;
}

/** @returns the cookies of a request as pairs of name and value. Malformed names are ignored: they cannot be set or removed. */
export function requestCookies(req: IncomingMessage): [name: string, value: string][] {
  const pairs = Object.entries(parseCookie(req.headers.cookie ?? ''));
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
 * @param options.onUnknownSecret see {@link createSealer}
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
  const sealer = createSealer(options.secrets, 'cookies', options.onUnknownSecret);
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  const site = basePath === '' ? instance : createHash('sha256').update(`${instance} ${basePath}`).digest('base64url');
  const start = `${secure ? '__Host-' : ''}clinician-${site.slice(0, INSTANCE_LENGTH)}-`;
  const fullNameOf = (name: string) => start + name;
  const associatedData = (name: string) => JSON.stringify([instance, name]);

  const parsed = new WeakMap<IncomingMessage, ReturnType<typeof parseCookie>>();

  function rawValue(req: IncomingMessage, name: string): string | undefined {
    // This runs on every request. Most have no cookie of this instance, and are not parsed.
    const { cookie } = req.headers;
    if (!cookie?.includes(start)) return undefined;
    const cookies = parsed.get(req) ?? parseCookie(cookie);
    parsed.set(req, cookies);
    return cookies[name];
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
      return requestCookies(req).flatMap(([name, value]) =>
        // A browser that has not removed a cookie sends it empty.
        name.startsWith(first) && value !== ''
          ? [{ suffix: name.slice(first.length), bytes: name.length + value.length }]
          : [],
      );
    },
    hasRoom,
    setFirst(cookie, req, res, values) {
      const fits = (value: string) => hasRoom(req, res, cookie.bytes(value) ?? Number.POSITIVE_INFINITY);
      const first = values.map((value) => JSON.stringify(value)).find(fits);
      return first !== undefined && cookie.set(res, first);
    },
  };

  function hasRoom(req: IncomingMessage, res: ServerResponse, bytes: number): boolean {
    const values = new Map([...requestCookies(req), ...responseCookies(res)]);
    let total = bytes;
    // Each is sent as `name=value; `, and one without a value is removed.
    for (const [name, value] of values) if (name.startsWith(start) && value) total += name.length + value.length + 3;
    return total <= MAX_BYTES;
  }
}
