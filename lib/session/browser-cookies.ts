import { createHash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { ConfigurationError } from '../errors/errors.js';
import { type Cookie, Cookies } from '../sealing/cookies.js';
import { randomText, type Secret } from '../sealing/secret.js';
import type { SessionRequest } from './site-session.js';

/** The cookie is of all instances on a host, in place of the id of one. */
const ALL_INSTANCES = 'shared';
const ID_BYTES = 18;
/** How soon after a sign-in the session must be sent back. */
const LIFETIME_SECONDS = 2 * 60;

/**
 * @returns a function that identifies the browser of a sign-in by a random cookie, which it sets in a browser without one. It returns
 * the digest that the login contains: a session that an attacker has planted has logins with the digest of another browser
 * @internal
 */
export function createBrowserID(options: { secure: boolean; secrets: readonly Secret[] }) {
  const cookie = new Cookies({ ...options, instance: ALL_INSTANCES, basePath: '' }).plain('browser');
  return function browserID(req: SessionRequest, res: ServerResponse): string {
    const known = cookie.read(req);
    const id = known || randomText(ID_BYTES);
    if (id !== known) cookie.set(res, id);
    return createHash('sha256').update(id).digest('base64url');
  };
}

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
