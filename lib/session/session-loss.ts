import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';
import type { Cookies } from '../cookies.js';
import { ConfigurationError } from '../errors.js';
import type { SessionRequest } from './site-session.js';

/** How soon after a sign-in the session must be sent back, in milliseconds. */
const LIFETIME_MS = 2 * 60 * 1000;

/** Detects a site whose session does not survive the sign-in, which would otherwise redirect its users forever. @internal */
export interface SessionLoss {
  /** Marks the browser, in its own cookie, as signed in just now. */
  mark(res: ServerResponse): void;
  /** Removes the mark: the session was sent back, with its login. */
  clear(req: SessionRequest, res: ServerResponse): void;
  /** @returns an error, once, for a browser that has the mark and no login. */
  detect(req: SessionRequest, res: ServerResponse): ConfigurationError | undefined;
}

function sessionNotSaved(): ConfigurationError {
  return new ConfigurationError(
    'session_not_saved',
    "passport-clinician: a user signed in, and the next request had no session. express-session's cookie was not set, or the browser does not send it. With cookie.secure the request must be https: behind a proxy that terminates TLS, call app.set('trust proxy', 1). Otherwise check cookie.path, cookie.domain and the session store.",
  );
}

export function createSessionLoss({ cookies, clock }: { cookies: Cookies; clock: Clock }): SessionLoss {
  const cookie = cookies.sealed('signed-in', LIFETIME_MS / 1000);

  return {
    mark: (res) => void cookie.set(res, String(clock.now())),
    clear: cookie.clear,
    detect(req, res) {
      const markedAt = cookie.read(req);
      if (markedAt === undefined || clock.now() - Number(markedAt) > LIFETIME_MS) return undefined;
      cookie.clear(req, res);
      return sessionNotSaved();
    },
  };
}
