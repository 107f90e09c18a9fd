import { digest } from './digest.js';
import { randomToken } from './random.js';
import type { MockRequest } from './request.js';

/**
 * Names a cookie. `session`: the user's session, for paths below /oauth; `inbox`: the same session, for the inbox.
 * `browser_state`: the input of session_state, which the session check page reads.
 */
type CookieName = 'session' | 'inbox' | 'browser_state';

/** Limits the interactions of one browser, so that their cookies have 2.5 kB. */
const MAX_INTERACTIONS = 20;

/** @returns true for a request without any cookie: a browser that blocks cookies sends none. */
export function hasNoCookie({ headers }: MockRequest): boolean {
  return !headers.cookie;
}

/**
 * The cookies of one provider. Their names contain its port and path, because cookies ignore ports: a site and two providers
 * share a cookie jar. Over TLS they are SameSite=None and Secure, otherwise SameSite=Lax.
 */
export class Cookies {
  readonly #start: string;
  readonly #prefix: string;
  readonly #site: string;

  constructor({ port, prefix, secure }: { port: number; prefix: string; secure: boolean }) {
    this.#start = `clinician_mock_${port}${prefix.replaceAll(/[^A-Za-z0-9]/g, '_')}_`;
    this.#prefix = prefix;
    this.#site = secure ? 'SameSite=None; Secure' : 'SameSite=Lax';
  }

  /** @returns the name on the wire. */
  nameOf(cookie: CookieName): string {
    return this.#start + cookie;
  }

  read(http: MockRequest, cookie: CookieName): string | undefined {
    return http.cookies.get(this.nameOf(cookie));
  }

  /** @returns a Set-Cookie value; the empty value deletes the cookie. */
  set(cookie: CookieName, value: string): string {
    const path = cookie === 'inbox' ? '/inbox' : '/oauth';
    return this.#line(this.nameOf(cookie), value, path, cookie === 'browser_state' ? '' : '; HttpOnly');
  }

  /**
   * Creates the id of an interaction, which only this browser can continue: it is the digest of a cookie of its own.
   * @returns the id and the cookies to set: the new one, and the oldest ones above the limit, deleted
   */
  startInteraction(http: MockRequest): { id: string; cookies: string[] } {
    const secret = randomToken();
    const id = digest(secret);
    // Browsers send the oldest cookie first (RFC 6265 section 5.4).
    const known = [...http.cookies.keys()].filter((name) => name.startsWith(this.#interactionName('')));
    const oldest = known.slice(0, Math.max(0, known.length + 1 - MAX_INTERACTIONS));
    return {
      id,
      cookies: [this.#line(this.#interactionName(id), secret), ...oldest.map((name) => this.#line(name, ''))],
    };
  }

  /** @returns true for an id that was created for this browser. */
  hasInteraction(http: MockRequest, id: string | undefined): id is string {
    const secret = http.cookies.get(this.#interactionName(id ?? ''));
    return secret !== undefined && digest(secret) === id;
  }

  /** @returns the deleted cookie. */
  endInteraction(id: string): string {
    return this.#line(this.#interactionName(id), '');
  }

  /** No other name has a dot. */
  #interactionName(id: string): string {
    return `${this.#start}interaction.${id}`;
  }

  #line(name: string, value: string, path = '/oauth', httpOnly = '; HttpOnly'): string {
    const maxAge = value === '' ? '; Max-Age=0' : '';
    return `${name}=${value}; Path=${this.#prefix}${path}; ${this.#site}${httpOnly}${maxAge}`;
  }
}
