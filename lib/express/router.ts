import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { ClinicianError } from '../errors.js';
import {
  asClinicianError,
  errorPage,
  isFault,
  sendPage,
  sendProblem,
  signedInAlreadyPage,
  signInFailedPage,
} from './answers.js';
import { type RouteOptions, routeTable } from './routes.js';
import type { SiteRequest } from './types.js';
import { wantsHTML } from './wants-html.js';

/** What to do instead of showing this package's page when a login or logout fails. */
export type ErrorHandler = (
  error: ClinicianError,
  req: Request,
  res: Response,
  next: NextFunction,
) => void | Promise<void>;

/** @returns middleware that answers the drop-in's own routes and passes everything else on. */
export function createRouter(options: RouteOptions, onError: ErrorHandler | undefined): RequestHandler {
  const table = routeTable(options);
  const { callbackPath, routes, events, links, signIn } = options;
  const allowed = new Map(
    [...table.keys()].map((key) => key.split(' ') as [string, string]).map(([method, path]) => [path, method]),
  );

  async function fail(caught: unknown, req: Request & SiteRequest, res: Response, next: NextFunction): Promise<void> {
    const error = asClinicianError(caught);
    const isSignIn = req.path === callbackPath || req.path === routes.login;
    events.tell(isSignIn ? 'sign_in_failed' : 'request_failed', { code: error.code });
    // A page or a status only tells the person before it.
    if (!onError && isFault(error)) events.warn(error);
    if (res.headersSent) next(caught);
    else if (onError) await onError(error, req, res, next);
    else if (!wantsHTML(req)) sendProblem(res, error);
    else if (error.code === 'transaction_missing' && req.session?.clinician)
      sendPage(res, 200, signedInAlreadyPage(links));
    else if (isSignIn) sendPage(res, error.status, signInFailedPage(error, links, signIn.returnToOf(req)));
    else sendPage(res, error.status, errorPage(error, links, '/'));
  }

  return function clinicianRoutes(req, res, next) {
    const handler = table.get(`${req.method} ${req.path}`);
    if (handler) {
      Promise.resolve()
        .then(() => handler(req as Request & SiteRequest, res))
        .catch((error: unknown) => fail(error, req as Request & SiteRequest, res, next))
        .catch(next);
    } else if (allowed.has(req.path)) {
      res.setHeader('Allow', allowed.get(req.path) as string);
      res.status(405).end();
    } else {
      next();
    }
  };
}
