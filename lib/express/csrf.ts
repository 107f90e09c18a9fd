import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { DeniedError } from '../errors.js';
import type { Sealer } from '../token-vault/sealer.js';
import { type AnswerLinks, asClinicianError, refuse } from './answers.js';
import { formField } from './form-field.js';
import type { SiteRequest } from './types.js';

/** The name of the form field that brings the token. */
export const CSRF_FIELD = '_csrf';
const CSRF_HEADER = 'x-csrf-token';

/** Tells a request of the site's own pages from one that another site made a browser send. @internal */
export interface CSRFProtection {
  /** @returns a token for a form or a script of this site, bound to the login. */
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

function boundTo(req: SiteRequest): string {
  return `csrf ${req.session?.clinician?.grantID ?? ''}`;
}

export function createCSRFProtection({ sealer, origin }: { sealer: Sealer; origin: string }): CSRFProtection {
  return {
    token: (req) => sealer.seal('', boundTo(req)),
    async isFromOwnPages(req) {
      const vouched = vouchedFor(req, origin);
      if (vouched !== undefined) return vouched;
      const header = req.headers[CSRF_HEADER];
      const token = typeof header === 'string' ? header : await formField(req, CSRF_FIELD);
      return token !== undefined && sealer.open(token, boundTo(req)) !== undefined;
    },
  };
}

/** Throws a {@link DeniedError} for a request that no page of this site made. */
export async function checkOwnPage(csrf: CSRFProtection, req: SiteRequest): Promise<void> {
  if (await csrf.isFromOwnPages(req)) return;
  throw new DeniedError('cross_site_request', "This must be asked for from one of this site's own pages.");
}

/** Middleware that lets a request through that a page of this site made. */
export function ownPagesOnly(csrf: CSRFProtection, links: AnswerLinks): RequestHandler {
  return function clinicianOwnPagesOnly(req, res, next) {
    checkOwnPage(csrf, req as SiteRequest).then(
      () => next(),
      (error: unknown) => refuse(req as SiteRequest, res, asClinicianError(error), links),
    );
  };
}
