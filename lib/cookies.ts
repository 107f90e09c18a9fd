import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import { createSealer } from './sealer.js';
import type { Secret } from './secret.js';

/** Browsers store 4096 bytes of a cookie, its name and attributes included (RFC 6265 section 6.1). */
const MAX_VALUE_LENGTH = 4000;

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

/** Creates and finds the cookies of one site. @internal */
export interface Cookies {
  /** @param maxAgeSeconds without it, the cookie ends with the browser's session */
  plain(name: string, maxAgeSeconds?: number): Cookie;
  /** Creates a cookie whose value is encrypted, and opens under this name only. */
  sealed(name: string, maxAgeSeconds: number): Cookie;
  /** @returns the cookies of a request whose names start with `prefix`: the rest of each name, and its bytes in the header. */
  startingWith(req: IncomingMessage, prefix: string): { suffix: string; bytes: number }[];
}

/** @returns the cookies of a request as pairs of name and value. */
export function requestCookies(req: IncomingMessage): [name: string, value: string][] {
  const pairs = Object.entries(parseCookie(req.headers.cookie ?? ''));
  return pairs.filter((pair): pair is [string, string] => pair[1] !== undefined);
}

/** Adds a cookie, unless the response was already sent: a timeout of the site may have ended it. */
function append(res: ServerResponse, cookie: SetCookie): void {
  if (!res.headersSent) res.appendHeader('Set-Cookie', stringifySetCookie(cookie));
}

/** Removes a cookie that another library set from the browser. @param attributes those that it was set with */
export function removeCookie(res: ServerResponse, name: string, attributes: object): void {
  append(res, { ...attributes, name, value: '', maxAge: 0 });
}

/** How many characters of the id of an instance its cookies have in their names: enough for the instances of one site. */
const INSTANCE_LENGTH = 6;

/**
 * @param options.secure true on https: the `__Host-` prefix then binds each cookie to the host (RFC 6265bis section 4.1.3.2)
 * @param options.instance see `instanceID()`. The cookies of each instance on a site have their own names, and open there only
 */
export function createCookies(options: { secure: boolean; secrets: readonly Secret[]; instance: string }): Cookies {
  const { secure, instance } = options;
  const sealer = createSealer(options.secrets, 'cookies');
  const attributes = { path: '/', httpOnly: true, sameSite: 'lax', secure } as const;
  const start = `${secure ? '__Host-' : ''}clinician-${instance.slice(0, INSTANCE_LENGTH)}-`;
  const fullNameOf = (name: string) => start + name;
  const associatedData = (name: string) => JSON.stringify([instance, name]);

  function rawValue(req: IncomingMessage, name: string): string | undefined {
    const { cookie } = req.headers;
    // This runs on every request. Most have no such cookie, and are not parsed.
    return cookie?.includes(name) ? parseCookie(cookie)[name] : undefined;
  }

  function plain(shortName: string, maxAgeSeconds?: number): Cookie {
    const name = fullNameOf(shortName);
    const bytes = (value: string) => (value.length > MAX_VALUE_LENGTH ? undefined : name.length + value.length);
    return {
      read: (req) => rawValue(req, name),
      bytes,
      set(res, value) {
        if (bytes(value) === undefined) return false;
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
      return {
        ...cookie,
        read(req) {
          const value = cookie.read(req);
          // This package sets no longer one, so it is not decrypted.
          if (value === undefined || value.length > MAX_VALUE_LENGTH) return undefined;
          return sealer.open(value, associatedData(name))?.plain;
        },
        bytes: (value) => cookie.bytes(sealer.seal(value, associatedData(name))),
        set: (res, value) => cookie.set(res, sealer.seal(value, associatedData(name))),
      };
    },
    startingWith(req, prefix) {
      const first = fullNameOf(prefix);
      return requestCookies(req).flatMap(([name, value]) =>
        name.startsWith(first) ? [{ suffix: name.slice(first.length), bytes: name.length + value.length }] : [],
      );
    },
  };
}
