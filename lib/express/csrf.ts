import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import type { Clock } from '../clock.js';
import type { Cookies } from '../cookies.js';
import { ConfigurationError, DeniedError } from '../errors.js';
import type { SiteRequest } from '../session/types.js';
import type { Sealer } from '../token-vault/sealer.js';
import { asClinicianError, type PageLinks, sendError } from './error-responses.js';
import { formField } from './form-field.js';

/** The name of the form field that brings the token. */
export const CSRF_FIELD = '_csrf';
const CSRF_HEADER = 'x-csrf-token';
/** How long a page with a token in it may stay open, in milliseconds. */
const LIFETIME = 12 * 60 * 60 * 1000;

/** Tells a request of the site's own pages from one that another site made a browser send. @internal */
export interface CSRFProtection {
  /** @returns a token for a form or a script of this site, bound to the login, or to the browser of somebody who is signed out. */
  token(req: SiteRequest): string;
  isFromOwnPages(req: SiteRequest): Promise<boolean>;
}

/**
 * @returns whether a browser vouches for a request, by `Sec-Fetch-Site`, which no script can forge, else by `Origin`; undefined
 * when it says nothing. `Origin: null` says nothing: browsers send it with a form of this very site under helmet's
 * `Referrer-Policy: no-referrer`, and with a form in another site's sandbox.
 */
function vouchedFor(req: IncomingMessage, origin: string): boolean | undefined {
  const site = req.headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const named = req.headers.origin;
  return named === undefined || named === 'null' ? undefined : named === origin;
}

export function createCSRFProtection(options: {
  sealer: Sealer;
  origin: string;
  clock: Clock;
  cookies: Cookies;
}): CSRFProtection {
  const { sealer, origin, clock } = options;
  const cookie = options.cookies.plain('csrf');
  const given = new WeakMap<object, string>();

  const browserOf = (req: SiteRequest) => given.get(req) ?? cookie.read(req);

  /** Marks a browser that has no mark yet: nobody is signed in there, and the site may keep no session for it. */
  function markBrowser(req: SiteRequest): string {
    if (!req.res || req.res.headersSent) {
      throw new ConfigurationError(
        'csrf_token_too_late',
        'passport-clinician: csrfToken(req) sets a cookie for somebody who is signed out: call it on an Express request, before its answer is sent.',
      );
    }
    const value = randomBytes(16).toString('base64url');
    cookie.set(req.res, value);
    given.set(req, value);
    return value;
  }

  function boundTo(req: SiteRequest, browser: string | undefined): string | undefined {
    const grantID = req.session?.clinician?.grantID;
    if (grantID !== undefined) return `csrf login ${grantID}`;
    return browser && `csrf browser ${browser}`;
  }

  function token(req: SiteRequest): string {
    const bound = boundTo(req, browserOf(req)) ?? (boundTo(req, markBrowser(req)) as string);
    return sealer.seal(String(clock.now()), bound);
  }

  function isOurs(req: SiteRequest, sealed: string): boolean {
    const bound = boundTo(req, browserOf(req));
    const opened = bound === undefined ? undefined : sealer.open(sealed, bound);
    return opened !== undefined && clock.now() - Number(opened.plain) <= LIFETIME;
  }

  return {
    token,
    async isFromOwnPages(req) {
      const vouched = vouchedFor(req, origin);
      if (vouched !== undefined) return vouched;
      const header = req.headers[CSRF_HEADER];
      const brought = typeof header === 'string' ? header : await formField(req, CSRF_FIELD);
      return brought !== undefined && isOurs(req, brought);
    },
  };
}

/** Throws a {@link DeniedError} for a request that no page of this site made. */
export async function assertSameOrigin(csrf: CSRFProtection, req: SiteRequest): Promise<void> {
  if (await csrf.isFromOwnPages(req)) return;
  // Nobody reads the rest any more, and the next request of this connection stands behind it.
  req.resume();
  throw new DeniedError('cross_site_request', "This must be asked for from one of this site's own pages.");
}

/** Middleware that lets a request through that a page of this site made. */
export function sameOriginOnly(csrf: CSRFProtection, links: PageLinks): RequestHandler {
  return function clinicianOwnPagesOnly(req, res, next) {
    assertSameOrigin(csrf, req as SiteRequest).then(
      () => next(),
      (error: unknown) => sendError(req as SiteRequest, res, asClinicianError(error), links),
    );
  };
}
