import type { ServerResponse } from 'node:http';
import { ConfigurationError } from '../errors/errors.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import type { SessionRequest } from './site-session.js';

/** How soon after a sign-in the session must be sent back. */
const LIFETIME_SECONDS = 2 * 60;

/** Detects a site whose session does not survive the sign-in, which would otherwise redirect its users forever. @internal */
export class SessionLoss {
  readonly #cookie: Cookie;

  constructor(cookies: Cookies) {
    this.#cookie = cookies.plain('signed-in', LIFETIME_SECONDS);
  }

  /** Marks the browser, in its own cookie, as signed in just now. */
  mark(res: ServerResponse): void {
    this.#cookie.set(res, '1');
  }

  /** Removes the mark: the session was sent back, with its login. */
  clear(req: SessionRequest, res: ServerResponse): void {
    this.#cookie.clear(req, res);
  }

  /** @returns an error, once, for a browser that has the mark. Call it for a request without a login. */
  detect(req: SessionRequest, res: ServerResponse): ConfigurationError | undefined {
    if (!this.#cookie.read(req)) return undefined;
    this.#cookie.clear(req, res);
    return new ConfigurationError(
      'session_not_saved',
      "passport-clinician: a user signed in, and the next request had no login in its session. Check the settings of session(): cookie.secure needs https, also behind a proxy (app.set('trust proxy', 1)), and cookie: { secure: 'auto' } over http; cookie.path and cookie.domain must match; and all processes need one session store and one tokenStore.",
    );
  }
}
