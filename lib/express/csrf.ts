import type { Clock } from '../async/clock.js';
import { denied } from '../errors/denials.js';
import { asClinicianError, ConfigurationError } from '../errors/errors.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import { Sealer } from '../sealing/sealer.js';
import { randomText, type Secret } from '../sealing/secret.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionRequest } from '../session/site-session.js';
import { isSameOrigin } from '../sign-in/same-origin.js';
import type { ErrorResponses } from './error-responses.js';
import { formField } from './form-field.js';
import type { Middleware } from './http-types.js';

const CSRF_FIELD = '_csrf';
const CSRF_HEADER = 'x-csrf-token';
/** How long a page that contains a token can stay open, in milliseconds. */
const LIFETIME_MS = 12 * 60 * 60 * 1000;

interface CSRFProtectionParts {
  secrets: readonly Secret[];
  onUnknownSecret: () => void;
  origin: string;
  clock: Clock;
  cookies: Cookies;
  loginSession: Pick<LoginSession, 'find'>;
}

/** Distinguishes requests of the site's own pages from those that another site made the browser send. @internal */
export class CSRFProtection {
  readonly #parts: CSRFProtectionParts;
  readonly #sealer: Sealer;
  readonly #cookie: Cookie;
  /** The random values of browsers that get one in the response to this request. */
  readonly #markedNow = new WeakMap<object, string>();

  constructor(parts: CSRFProtectionParts) {
    this.#parts = parts;
    this.#sealer = new Sealer(parts.secrets, 'csrf', parts.onUnknownSecret);
    this.#cookie = parts.cookies.plain('csrf');
  }

  /** @returns a token for a form or a script of this site, bound to the login, or to the browser of a signed-out user. */
  token(req: SessionRequest): string {
    const bound = this.#boundTo(req) ?? `csrf browser ${this.#markBrowser(req)}`;
    return this.#sealer.seal(String(this.#parts.clock.now()), bound);
  }

  /** Throws a `DeniedError` `cross_site_request` for a request that no page of the same origin made. */
  async assertSameOrigin(req: SessionRequest): Promise<void> {
    if (isSameOrigin(req, this.#parts.origin) ?? (await this.#hasValidToken(req))) return;
    // Reads the rest of the body, so that the connection can be used for the next request.
    req.resume();
    throw denied('cross_site_request');
  }

  /** Marks a browser with a random value: the site may have no session for a signed-out user. */
  #markBrowser(req: SessionRequest): string {
    if (!req.res || req.res.headersSent) {
      throw new ConfigurationError(
        'csrf_token_too_late',
        'passport-clinician: csrfToken(req) sets a cookie for a signed-out user. Call it on an Express request, before its response is sent.',
      );
    }
    const value = randomText(16);
    this.#cookie.set(req.res, value);
    this.#markedNow.set(req, value);
    return value;
  }

  /** @returns what a token of this request is bound to; undefined for a browser of a signed-out user that is not marked yet. */
  #boundTo(req: SessionRequest): string | undefined {
    const grantID = this.#parts.loginSession.find(req)?.grantID;
    if (grantID !== undefined) return `csrf login ${grantID}`;
    const browser = this.#markedNow.get(req) ?? this.#cookie.read(req);
    return browser && `csrf browser ${browser}`;
  }

  async #hasValidToken(req: SessionRequest): Promise<boolean> {
    const header = req.headers[CSRF_HEADER];
    const token = typeof header === 'string' ? header : await formField(req, CSRF_FIELD);
    return token !== undefined && this.#isValid(req, token);
  }

  #isValid(req: SessionRequest, token: string): boolean {
    const bound = this.#boundTo(req);
    const createdAt = bound === undefined ? undefined : this.#sealer.open(token, bound);
    return createdAt !== undefined && this.#parts.clock.now() - Number(createdAt) <= LIFETIME_MS;
  }
}

/** @returns middleware that refuses requests that no page of the same origin made. */
export function sameOriginOnly(csrf: CSRFProtection, errorResponses: Pick<ErrorResponses, 'refuse'>): Middleware {
  return function clinicianSameOriginOnly(req, res, next) {
    csrf
      .assertSameOrigin(req)
      .then(
        () => next(),
        (error: unknown) => errorResponses.refuse({ req, res, next }, asClinicianError(error)),
      )
      .catch(next);
  };
}
