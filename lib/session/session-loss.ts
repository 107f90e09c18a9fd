import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';
import type { Cookies } from '../cookies.js';
import { ConfigurationError } from '../errors.js';
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

export function createSessionLoss({ cookies, clock }: { cookies: Cookies; clock: Clock }): SessionLoss {
  const cookie = cookies.sealed('signed-in', LIFETIME / 1000);

  return {
    mark: (res) => void cookie.set(res, String(clock.now())),
    clear: cookie.clear,
    detect(req, res) {
      const markedAt = cookie.read(req);
      if (markedAt === undefined || clock.now() - Number(markedAt) > LIFETIME) return undefined;
      cookie.clear(req, res);
      return sessionNotSaved();
    },
  };
}
