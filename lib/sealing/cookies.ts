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

/** What all cookies of one site have in common. */
interface Site {
  /** The start of the name of each cookie. */
  start: string;
  attributes: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean };
}

/**
 * Reads and sets one cookie of this package: HttpOnly, SameSite=Lax, for every path; on https also Secure and bound to the host.
 * @internal
 */
export class Cookie {
  readonly name: string;
  readonly #site: Site;
  readonly #maxAge: number | undefined;

  /** @param maxAge in seconds; without it, the cookie ends with the browser's session */
  constructor(site: Site, shortName: string, maxAge: number | undefined) {
    this.name = site.start + shortName;
    this.#site = site;
    this.#maxAge = maxAge;
  }

  /** @returns the value; undefined for a missing cookie. */
  read(req: IncomingMessage): string | undefined {
    return this.#find(req);
  }

  /** @returns false, and sets nothing, when the value is too long. */
  set(res: ServerResponse, value: string): boolean {
    if (value.length > MAX_VALUE_LENGTH) return false;
    const maxAge = this.#maxAge;
    append(res, { ...this.#site.attributes, name: this.name, value, ...(maxAge !== undefined && { maxAge }) });
    return true;
  }

  /** Removes the cookie from a browser that sent it. */
  clear(req: IncomingMessage, res: ServerResponse): void {
    if (this.#find(req) !== undefined) removeCookie(res, this.name, this.#site.attributes);
  }

  #find(req: IncomingMessage): string | undefined {
    // This runs on every request. Most have no cookie of this instance, and are not parsed.
    return req.headers.cookie?.includes(this.#site.start) ? parsedCookies(req)[this.name] : undefined;
  }
}

/** A cookie whose value is encrypted, and opens under its name only. @internal */
export class SealedCookie extends Cookie {
  readonly #sealer: Sealer;
  readonly #associatedData: string;

  constructor(
    site: Site,
    shortName: string,
    maxAge: number,
    { sealer, instance }: { sealer: Sealer; instance: string },
  ) {
    super(site, shortName, maxAge);
    this.#sealer = sealer;
    this.#associatedData = JSON.stringify([instance, this.name]);
  }

  /** @returns the value; undefined for a missing cookie, and for one that cannot be decrypted. */
  override read(req: IncomingMessage): string | undefined {
    const value = this.#sealedValue(req);
    return value === undefined ? undefined : this.#sealer.open(value, this.#associatedData);
  }

  /** @returns true for a cookie that names a secret that this process does not have. */
  isOfUnknownSecret(req: IncomingMessage): boolean {
    const value = this.#sealedValue(req);
    return value !== undefined && this.#sealer.isOfUnknownSecret(value);
  }

  /** @returns the number of bytes of the cookie in a request header; undefined when the value is too long for a cookie. */
  bytes(value: string): number | undefined {
    const length = this.#sealer.sealedLength(value);
    return length > MAX_VALUE_LENGTH ? undefined : this.name.length + length;
  }

  override set(res: ServerResponse, value: string): boolean {
    return super.set(res, this.#sealer.seal(value, this.#associatedData));
  }

  /** This package sets no longer value, so a longer one is not decrypted. */
  #sealedValue(req: IncomingMessage): string | undefined {
    const value = super.read(req);
    return value !== undefined && value.length <= MAX_VALUE_LENGTH ? value : undefined;
  }
}

interface CookiesOptions {
  /** True on https: the `__Host-` prefix then binds each cookie to the host (RFC 6265bis section 4.1.3.2). */
  secure: boolean;
  secrets: readonly Secret[];
  /** See {@link Sealer}. */
  onUnknownSecret?: () => void;
  /** See `instanceID()`. The cookies of each instance on a site have their own names, and open there only. */
  instance: string;
  /** The path of the site. Sites below two paths of one host have other names: `__Host-` requires `Path=/`. */
  basePath?: string;
}

/** How many characters of the id of an instance its cookies have in their names: enough for the instances of one site. */
const INSTANCE_LENGTH = 6;

/** Creates and finds the cookies of one site. @internal */
export class Cookies {
  readonly #site: Site;
  readonly #seal: { sealer: Sealer; instance: string };
  /** The long cookies of any instance: results of login attempts and sign-outs that are not read yet, and attempts in progress. */
  readonly #longName: RegExp;

  constructor({ secure, secrets, onUnknownSecret, instance, basePath = '' }: CookiesOptions) {
    const hash = () => createHash('sha256').update(`${instance} ${basePath}`).digest('base64url');
    const id = (basePath === '' ? instance : hash()).slice(0, INSTANCE_LENGTH);
    const host = `${secure ? '__Host-' : ''}clinician-`;
    this.#site = { start: `${host}${id}-`, attributes: { path: '/', httpOnly: true, sameSite: 'lax', secure } };
    this.#seal = { sealer: new Sealer(secrets, 'cookies', onUnknownSecret), instance };
    this.#longName = new RegExp(
      `^${host}[\\w-]{${INSTANCE_LENGTH}}-(?:(end-session|failed|user-change)|tx-[\\w-]{16})$`,
    );
  }

  /** @param maxAgeSeconds without it, the cookie ends with the browser's session */
  plain(name: string, maxAgeSeconds?: number): Cookie {
    return new Cookie(this.#site, name, maxAgeSeconds);
  }

  sealed(name: string, maxAgeSeconds: number): SealedCookie {
    return new SealedCookie(this.#site, name, maxAgeSeconds, this.#seal);
  }

  /**
   * @returns true when a long cookie of this many bytes fits into the request headers that the browser sends next, with those of
   * all instances on this host in the request and in the response
   */
  hasRoom(req: IncomingMessage, res: ServerResponse, bytes: number): boolean {
    return sum(this.#longCookies(req, res)) + bytes <= MAX_BYTES;
  }

  /**
   * Removes the oldest long cookies, first the results of earlier attempts, until one of this many bytes fits.
   * @returns false, and removes nothing, when it is too long without the others
   */
  makeRoom(req: IncomingMessage, res: ServerResponse, bytes: number): boolean {
    if (bytes > MAX_BYTES) return false;
    const long = this.#longCookies(req, res);
    let total = sum(long) + bytes;
    const isResult = (name: string) => this.#longName.exec(name)?.[1] !== undefined;
    const removable = [...long.keys()];
    const inOrder = [...removable.filter(isResult), ...removable.filter((name) => !isResult(name))];
    for (const name of inOrder.slice(0, MAX_LONG_COOKIES)) {
      if (total <= MAX_BYTES) break;
      removeCookie(res, name, this.#site.attributes);
      total -= long.get(name) as number;
    }
    return true;
  }

  /** Sets a cookie to the first of these values, as JSON, that fits. @returns false when none does. */
  setFirst(cookie: SealedCookie, req: IncomingMessage, res: ServerResponse, values: readonly object[]): boolean {
    const fits = (value: string) => this.hasRoom(req, res, cookie.bytes(value) ?? Number.POSITIVE_INFINITY);
    const first = values.map((value) => JSON.stringify(value)).find(fits);
    return first !== undefined && cookie.set(res, first);
  }

  /** @returns the bytes of each long cookie that the browser sends next, the oldest first. */
  #longCookies(req: IncomingMessage, res: ServerResponse): Map<string, number> {
    const values = [...new Map([...requestCookies(req), ...responseCookies(res)])];
    const long = values.filter(([name, value]) => value && this.#longName.test(name));
    // Each is sent as `name=value; `.
    return new Map(long.map(([name, value]) => [name, name.length + value.length + 3]));
  }
}

function sum(bytes: ReadonlyMap<string, number>): number {
  return [...bytes.values()].reduce((total, one) => total + one, 0);
}
