import type { MockRequest } from './request.js';

/**
 * Names a cookie. `session`: the user's session, for paths below /oauth; `inbox`: the same session, for the inbox.
 * `interaction`: binds the pages of a sign-in to one browser. `browserState`: the input of session_state, which the session
 * check page reads.
 */
type CookieName = 'session' | 'inbox' | 'interaction' | 'browserState';

/** Reads and sets the cookies of one provider. */
export interface Cookies {
  /** @returns the name on the wire. */
  nameOf(cookie: CookieName): string;
  read(http: MockRequest, cookie: CookieName): string | undefined;
  /** @returns a Set-Cookie value; the empty value deletes the cookie. */
  set(cookie: CookieName, value: string): string;
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
    interaction: `${start}interaction`,
    browserState: `${start}browser_state`,
  };
  const nameOf = (cookie: CookieName) => names[cookie];
  return {
    nameOf,
    read: (http, cookie) => http.cookie(nameOf(cookie)),
    set(cookie, value) {
      const path = prefix + (cookie === 'inbox' ? '/inbox' : '/oauth');
      const httpOnly = cookie === 'browserState' ? '' : '; HttpOnly';
      const maxAge = value === '' ? '; Max-Age=0' : '';
      return `${nameOf(cookie)}=${value}; Path=${path}; ${site}${httpOnly}${maxAge}`;
    },
  };
}
