import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { ClinicianError } from '../errors.js';
import { asClinicianError, errorPage, sendPage, sendProblem } from './answers.js';
import { type RouteOptions, routeTable } from './routes.js';
import type { SiteRequest } from './types.js';
import { wantsHTML } from './wants-html.js';

/** What to do instead of showing this package's page when a login or logout fails. */
export type ErrorHandler = (error: ClinicianError, req: Request, res: Response, next: NextFunction) => void;

/** Tells whoever runs the site of a fault, as Node tells of its own: a page or a status only tells the person before it. */
function warn(error: ClinicianError): void {
  if (error.remedy === 'retry' || error.remedy === 'investigate' || error.remedy === 'fix_code') {
    process.emitWarning(error.message, { type: 'ClinicianWarning', code: error.code });
  }
}

/** @returns middleware that answers the drop-in's own routes and passes everything else on. */
export function createRouter(options: RouteOptions, onError: ErrorHandler | undefined): RequestHandler {
  const table = routeTable(options);
  const allowed = new Map(
    [...table.keys()].map((key) => key.split(' ') as [string, string]).map(([method, path]) => [path, method]),
  );

  function fail(caught: unknown, req: Request & SiteRequest, res: Response, next: NextFunction): void {
    const error = asClinicianError(caught);
    if (!onError) warn(error);
    if (res.headersSent) next(caught);
    else if (onError) onError(error, req, res, next);
    else if (wantsHTML(req))
      sendPage(res, error.status, errorPage(error, options.links, options.signIn.returnToOf(req)));
    else sendProblem(res, error);
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
