import { digest } from './digest.js';
import { randomToken } from './random.js';
import type { MockRequest } from './request.js';

/**
 * Names a cookie. `session`: the user's session, for paths below /oauth; `inbox`: the same session, for the inbox.
 * `browserState`: the input of session_state, which the session check page reads.
 */
type CookieName = 'session' | 'inbox' | 'browserState';

/** Limits the interactions of one browser, so that their cookies have 2.5 kB. */
const MAX_INTERACTIONS = 20;

/** Reads and sets the cookies of one provider. */
export interface Cookies {
  /** @returns the name on the wire. */
  nameOf(cookie: CookieName): string;
  read(http: MockRequest, cookie: CookieName): string | undefined;
  /** @returns a Set-Cookie value; the empty value deletes the cookie. */
  set(cookie: CookieName, value: string): string;
  /**
   * Creates the id of an interaction, which only this browser can continue: it is the digest of a cookie of its own.
   * @returns the id and the cookies to set: the new one, and the oldest ones above the limit, deleted
   */
  startInteraction(http: MockRequest): { id: string; cookies: string[] };
  /** @returns true for an id that was created for this browser. */
  hasInteraction(http: MockRequest, id: string | undefined): id is string;
  /** @returns the deleted cookie. */
  endInteraction(id: string): string;
}

/** @returns true for a request without any cookie: a browser that blocks cookies sends none. */
export function hasNoCookie({ headers }: MockRequest): boolean {
  return !headers.cookie;
}

/**
 * Creates the cookies of a provider. Their names contain its port and path, because cookies ignore ports: a site and two
 * providers share a cookie jar. Over TLS they are SameSite=None and Secure, otherwise SameSite=Lax.
 */
export function createCookies({ port, prefix, secure }: { port: number; prefix: string; secure: boolean }): Cookies {
  const start = `clinician_mock_${port}${prefix.replaceAll(/[^A-Za-z0-9]/g, '_')}_`;
  const site = secure ? 'SameSite=None; Secure' : 'SameSite=Lax';
  const names: Readonly<Record<CookieName, string>> = {
    session: `${start}session`,
    inbox: `${start}inbox`,
    browserState: `${start}browser_state`,
  };
  // No other name has a dot.
  const interaction = `${start}interaction.`;
  const nameOf = (cookie: CookieName) => names[cookie];

  function line(name: string, value: string, { path = '/oauth', httpOnly = true } = {}): string {
    const maxAge = value === '' ? '; Max-Age=0' : '';
    return `${name}=${value}; Path=${prefix}${path}; ${site}${httpOnly ? '; HttpOnly' : ''}${maxAge}`;
  }

  return {
    nameOf,
    read: (http, cookie) => http.cookies.get(nameOf(cookie)),
    set: (cookie, value) =>
      line(nameOf(cookie), value, {
        path: cookie === 'inbox' ? '/inbox' : '/oauth',
        httpOnly: cookie !== 'browserState',
      }),
    startInteraction(http) {
      const secret = randomToken();
      const id = digest(secret);
      // Browsers send the oldest cookie first (RFC 6265 section 5.4).
      const known = [...http.cookies.keys()].filter((name) => name.startsWith(interaction));
      const oldest = known.slice(0, Math.max(0, known.length + 1 - MAX_INTERACTIONS));
      return { id, cookies: [line(interaction + id, secret), ...oldest.map((name) => line(name, ''))] };
    },
    hasInteraction(http, id): id is string {
      const secret = http.cookies.get(interaction + id);
      return secret !== undefined && digest(secret) === id;
    },
    endInteraction: (id) => line(interaction + id, ''),
  };
}
