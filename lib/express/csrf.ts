import type { Clock } from '../clock.js';
import type { Cookies } from '../cookies.js';
import { ConfigurationError, DeniedError } from '../errors.js';
import { randomText } from '../random.js';
import { Sealer } from '../sealer.js';
import type { Secret } from '../secret.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionRequest } from '../session/site-session.js';
import { isSameOrigin } from '../sign-in/request-source.js';
import { asClinicianError, type ErrorResponses } from './error-responses.js';
import { formField } from './form-field.js';
import type { Middleware } from './http-types.js';

const CSRF_FIELD = '_csrf';
const CSRF_HEADER = 'x-csrf-token';
/** How long a page that contains a token can stay open, in milliseconds. */
const LIFETIME_MS = 12 * 60 * 60 * 1000;

/** Distinguishes requests of the site's own pages from those that another site made the browser send. @internal */
export interface CSRFProtection {
  /** @returns a token for a form or a script of this site, bound to the login, or to the browser of a signed-out user. */
  token(req: SessionRequest): string;
  /** Throws a {@link DeniedError} `cross_site_request` for a request that no page of the same origin made. */
  assertSameOrigin(req: SessionRequest): Promise<void>;
}

export function createCSRFProtection(options: {
  secrets: readonly Secret[];
  onUnknownSecret: () => void;
  origin: string;
  clock: Clock;
  cookies: Cookies;
  loginSession: LoginSession;
}): CSRFProtection {
  const { secrets, onUnknownSecret, origin, clock, cookies, loginSession } = options;
  const sealer = new Sealer(secrets, 'csrf', onUnknownSecret);
  const cookie = cookies.plain('csrf');
  const markedNow = new WeakMap<object, string>();

  const browserOf = (req: SessionRequest) => markedNow.get(req) ?? cookie.read(req);

  /** Marks a browser with a random value: the site may have no session for a signed-out user. */
  function markBrowser(req: SessionRequest): string {
    if (!req.res || req.res.headersSent) {
      throw new ConfigurationError(
        'csrf_token_too_late',
        'passport-clinician: csrfToken(req) sets a cookie for a signed-out user. Call it on an Express request, before its response is sent.',
      );
    }
    const value = randomText(16);
    cookie.set(req.res, value);
    markedNow.set(req, value);
    return value;
  }

  function boundTo(req: SessionRequest, browser: string | undefined): string | undefined {
    const grantID = loginSession.find(req)?.grantID;
    if (grantID !== undefined) return `csrf login ${grantID}`;
    return browser && `csrf browser ${browser}`;
  }

  function isValid(req: SessionRequest, token: string): boolean {
    const bound = boundTo(req, browserOf(req));
    const createdAt = bound === undefined ? undefined : sealer.open(token, bound);
    return createdAt !== undefined && clock.now() - Number(createdAt) <= LIFETIME_MS;
  }

  async function hasValidToken(req: SessionRequest): Promise<boolean> {
    const header = req.headers[CSRF_HEADER];
    const token = typeof header === 'string' ? header : await formField(req, CSRF_FIELD);
    return token !== undefined && isValid(req, token);
  }

  return {
    token(req) {
      const bound = boundTo(req, browserOf(req)) ?? (boundTo(req, markBrowser(req)) as string);
      return sealer.seal(String(clock.now()), bound);
    },
    async assertSameOrigin(req) {
      if (isSameOrigin(req, origin) ?? (await hasValidToken(req))) return;
      // Reads the rest of the body, so that the connection can be used for the next request.
      req.resume();
      throw new DeniedError('cross_site_request', "This request must come from one of this site's own pages.");
    },
  };
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
