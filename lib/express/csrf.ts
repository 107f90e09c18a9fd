import { denied } from '../errors/denials.js';
import type { SessionRequest } from '../session/site-session.js';
import { isSameOrigin } from '../sign-in/same-origin.js';
import type { ErrorResponses } from './error-responses.js';
import type { Middleware } from './http-types.js';

/**
 * Throws a `DeniedError` `cross_site_request` for a request that no page of this origin made, by `Sec-Fetch-Site`, else by `Origin`.
 * @param origin the site's own origin
 */
export function assertSameOrigin(req: SessionRequest, origin: string): void {
  if (isSameOrigin(req, origin)) return;
  // Reads the body, so that the connection can be used for the next request.
  req.resume();
  throw denied('cross_site_request');
}

/** @returns middleware that refuses requests that no page of the same origin made. */
export function sameOriginOnly(origin: string, errorResponses: Pick<ErrorResponses, 'refuse'>): Middleware {
  return function clinicianSameOriginOnly(req, res, next) {
    if (isSameOrigin(req, origin)) return next();
    errorResponses.refuse({ req, res, next }, denied('cross_site_request'));
  };
}
