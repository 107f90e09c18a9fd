import type { ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { Clock } from '../clock.js';
import { ConfigurationError } from '../errors.js';
import type { Sealer } from '../token-vault/sealer.js';
import type { SiteRequest } from './types.js';

/** How long after a sign-in its session must have come back, in milliseconds. */
const LIFETIME = 2 * 60 * 1000;

/** Notices a site whose session does not outlive the sign-in, so that nobody is sent round for ever. @internal */
export interface SessionLoss {
  /** Leaves word with the browser, in a cookie of our own, that it was signed in just now. */
  mark(res: ServerResponse): void;
  /** The session has come back with its login: the word has served. */
  clear(req: SiteRequest, res: ServerResponse): void;
  /** @returns an error, once, for a browser that was signed in just now and brings no login. */
  detect(req: SiteRequest, res: ServerResponse): ConfigurationError | undefined;
}

function sessionNotSaved(): ConfigurationError {
  return new ConfigurationError(
    'session_not_saved',
    "passport-clinician: somebody was signed in, and their next request brought no session along. The cookie of express-session was not set, or does not come back. With cookie.secure the request must be https: behind a proxy that ends TLS, app.set('trust proxy', 1) is needed. Else look at cookie.path and cookie.domain, and at a store that loses sessions.",
  );
}

export function createSessionLoss(options: { sealer: Sealer; clock: Clock; secure: boolean }): SessionLoss {
  const { sealer, clock, secure } = options;
  const name = secure ? '__Host-clinician-signed-in' : 'clinician-signed-in';

  function setCookie(res: ServerResponse, value: string, maxAge: number): void {
    const cookie = stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure });
    res.appendHeader('Set-Cookie', cookie);
  }

  function wordOf(req: SiteRequest): string | undefined {
    const { cookie } = req.headers;
    return cookie?.includes(name) ? parseCookie(cookie)[name] : undefined;
  }

  return {
    mark: (res) => setCookie(res, sealer.seal(String(clock.now()), name), LIFETIME / 1000),
    clear(req, res) {
      if (wordOf(req) !== undefined) setCookie(res, '', 0);
    },
    detect(req, res) {
      const word = wordOf(req);
      const opened = word && sealer.open(word, name);
      if (!opened || clock.now() - Number(opened.plain) > LIFETIME) return undefined;
      setCookie(res, '', 0);
      return sessionNotSaved();
    },
  };
}
