import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseCookie, type SetCookie, stringifySetCookie } from 'cookie';
import { type Derive, Sealer, type Secret } from './sealer.js';

const MAX_VALUE_LENGTH = 2500;
/** What `cookie` accepts as a name. A browser sends other names only if another program has set them. */
const VALID_NAME = /^[\u0021-\u003A\u003C\u003E-\u007E]+$/;

const parsed = new WeakMap<IncomingMessage, ReturnType<typeof parseCookie>>();

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

/**
 * Adds a cookie, unless the response was already sent, as by a timeout of the site, or has no headers: that of a websocket is an
 * object with few functions, or with none.
 */
function append(res: ServerResponse, cookie: SetCookie): void {
  if (res.headersSent || typeof res.setHeader !== 'function') return;
  const others = [res.getHeader?.('Set-Cookie') ?? []].flat().map(String);
  res.setHeader('Set-Cookie', [...others, stringifySetCookie(cookie)]);
}

/** Removes a cookie that another library set from the browser. @param attributes those that it was set with */
export function removeCookie(res: ServerResponse, name: string, attributes: object): void {
  append(res, { ...attributes, name, value: '', maxAge: 0 });
}

/** What all cookies of one site have in common. */
interface Site {
  start: string;
  attributes: { path: '/'; httpOnly: true; sameSite: 'lax'; secure: boolean };
}

/** How the value of a cookie is encrypted: it opens under its name and with its context only. */
interface Seal {
  sealer: Sealer;
  associatedData: string;
}

/**
 * Reads and sets one cookie of this package: HttpOnly, SameSite=Lax, for every path; on https also Secure and bound to the host.
 * @internal
 */
export class Cookie {
  readonly name: string;
  readonly #site: Site;
  readonly #maxAge: number | undefined;
  readonly #seal: Seal | undefined;

  /** @param maxAge in seconds; without it, the cookie ends with the browser's session */
  constructor(site: Site, name: string, maxAge: number | undefined, seal?: Seal) {
    this.name = name;
    this.#site = site;
    this.#maxAge = maxAge;
    this.#seal = seal;
  }

  /** @returns the value; undefined for a missing cookie, and for a sealed one that cannot be decrypted. */
  read(req: IncomingMessage): string | undefined {
    return this.#seal ? this.readToDerive(req)?.plain : this.#find(req);
  }

  /** Reads a sealed cookie. @returns the value, and what {@link deriver} has returned when the cookie was set */
  readToDerive(req: IncomingMessage): { plain: string; derive: Derive } | undefined {
    const { sealer, associatedData } = this.#seal as Seal;
    const value = this.#find(req);
    return value === undefined ? undefined : sealer.openToDerive(value, associatedData);
  }

  /** @returns a function that derives secret values for a sealed cookie and its context, from the secret that seals it. */
  deriver(): Derive {
    const { sealer, associatedData } = this.#seal as Seal;
    return sealer.deriver(associatedData);
  }

  /** @returns true for a sealed cookie that names a secret that this process does not have. */
  isOfUnknownSecret(req: IncomingMessage): boolean {
    const value = this.#find(req);
    return value !== undefined && (this.#seal as Seal).sealer.isOfUnknownSecret(value);
  }

  /** @returns false, and sets nothing, when the value is too long. */
  set(res: ServerResponse, plain: string): boolean {
    const value = this.#seal ? this.#seal.sealer.seal(plain, this.#seal.associatedData) : plain;
    if (value.length > MAX_VALUE_LENGTH) return false;
    const maxAge = this.#maxAge;
    append(res, { ...this.#site.attributes, name: this.name, value, ...(maxAge !== undefined && { maxAge }) });
    return true;
  }

  /** Removes the cookie from a browser that sent it. */
  clear(req: IncomingMessage, res: ServerResponse): void {
    // This runs on every request: the header is not parsed.
    if (!req.headers.cookie?.includes(`${this.name}=`)) return;
    append(res, { ...this.#site.attributes, name: this.name, value: '', maxAge: 0 });
  }

  /** This package sets no longer value, so a longer one is not decrypted. */
  #find(req: IncomingMessage): string | undefined {
    // This runs on every request. Most have no cookie of this instance, and are not parsed.
    const value = req.headers.cookie?.includes(this.#site.start) ? parsedCookies(req)[this.name] : undefined;
    return value !== undefined && value.length <= MAX_VALUE_LENGTH ? value : undefined;
  }
}

interface CookiesOptions {
  /**
   * On https, the `__Host-` prefix binds each cookie to the host (RFC 6265bis section 4.1.3.2). A browser sends a cookie to all ports
   * and paths of its host: sites on other ports, and below other base paths, have other names.
   */
  site: { readonly origin: string; readonly routes: { readonly basePath: string } };
  /** See `instanceID()`. The cookies of each instance on a site have their own names, and open there only. */
  instance: string;
  secrets: readonly Secret[];
  onUnknownSecret?: () => void;
}

/** How many characters of the id of an instance its cookies have in their names: enough for the instances of one site. */
const INSTANCE_LENGTH = 6;

/** Creates and finds the cookies of one site. @internal */
export class Cookies {
  readonly #site: Site;
  readonly #sealer: Sealer;
  readonly #instance: string;
  readonly #suffix: string;

  constructor({ site, instance, secrets, onUnknownSecret }: CookiesOptions) {
    const { basePath } = site.routes;
    const { protocol, port } = new URL(site.origin);
    const secure = protocol === 'https:';
    this.#suffix = port && `-${port}`;
    const hash = () => createHash('sha256').update(`${instance} ${basePath}`).digest('base64url');
    const id = (basePath === '' ? instance : hash()).slice(0, INSTANCE_LENGTH);
    const start = `${secure ? '__Host-' : ''}clinician-${id}-`;
    this.#site = { start, attributes: { path: '/', httpOnly: true, sameSite: 'lax', secure } };
    this.#sealer = new Sealer(secrets, 'cookies', onUnknownSecret);
    this.#instance = instance;
  }

  /** @param maxAgeSeconds without it, the cookie ends with the browser's session */
  plain(name: string, maxAgeSeconds?: number): Cookie {
    return new Cookie(this.#site, this.#site.start + name + this.#suffix, maxAgeSeconds);
  }

  /** @param context is not part of the cookie, and must be the same when it is read. With one, the name must be unique to it */
  sealed(name: string, maxAgeSeconds: number, context: readonly string[] = []): Cookie {
    const fullName = this.#site.start + (context.length === 0 ? name + this.#suffix : name);
    const associatedData = JSON.stringify([this.#instance, fullName, ...context]);
    return new Cookie(this.#site, fullName, maxAgeSeconds, { sealer: this.#sealer, associatedData });
  }

  /**
   * @returns the names of the cookies of a request, the oldest first, that an instance on this host has set with this prefix: the
   * browser sends those of all instances with every request
   */
  ofAllInstances(req: IncomingMessage, prefix: string): string[] {
    const form = new RegExp(`^(?:__Host-)?clinician-[\\w-]{${INSTANCE_LENGTH}}-${prefix}`);
    // A browser that has not removed a cookie sends it empty.
    return requestCookies(req).flatMap(([name, value]) => (value && form.test(name) ? [name] : []));
  }

  /** Removes cookies that {@link ofAllInstances} has found. */
  remove(res: ServerResponse, names: readonly string[]): void {
    for (const name of names) removeCookie(res, name, this.#site.attributes);
  }
}
