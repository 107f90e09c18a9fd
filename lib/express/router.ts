import type { NextFunction, Request, RequestHandler, Response } from 'express';
import { type ClinicianError, ConfigurationError } from '../errors.js';
import type { SiteRequest } from '../session/types.js';
import type { FailedSignIn } from '../sign-in/failed-sign-in.js';
import { isAuthorizationResponse, wireQuery } from '../sign-in/login.js';
import type { SignInMode } from '../sign-in/sign-in-mode.js';
import {
  asClinicianError,
  errorPage,
  isOperatorError,
  type PageLinks,
  redirect,
  sendPage,
  sendProblem,
  signedInAlreadyPage,
  signInFailedPage,
} from './error-responses.js';
import { type RouteHandler, type RouteOptions, routeTable } from './routes.js';
import { wantsHTML } from './wants-html.js';

/** What to do instead of showing this package's page when a login or logout fails. */
export type ErrorHandler = (
  error: ClinicianError,
  req: Request,
  res: Response,
  next: NextFunction,
) => void | Promise<void>;

/** The path of the whole address, wherever in the site this middleware stands. */
function pathOf({ baseUrl, path }: Request): string {
  return (baseUrl ?? '') + path;
}

/** @returns what is wrong where the middleware stands below a path that keeps some of its routes from it. */
function misplaced(baseUrl: string, paths: Iterable<string>): ConfigurationError | undefined {
  const unseen = [...paths].find((path) => !path.startsWith(`${baseUrl}/`));
  if (unseen === undefined) return undefined;
  return new ConfigurationError(
    'mount_path_conflict',
    `passport-clinician: mounted below '${baseUrl}', clinicianLogin() never sees '${unseen}'. Write app.use(clinician), or put callbackURL and every path of option 'routes' below '${baseUrl}'.`,
  );
}

/** @returns middleware that answers the drop-in's own routes and passes everything else on. */
export function createRouter(options: RouteOptions, onError: ErrorHandler | undefined): RequestHandler {
  const table = routeTable(options);
  const { callbackPath, routes, events, links, signIn, failedSignIns } = options;
  const allowed = new Map(
    [...table.keys()].map((key) => key.split(' ') as [string, string]).map(([method, path]) => [path, method]),
  );

  async function fail(caught: unknown, req: Request & SiteRequest, res: Response, next: NextFunction): Promise<void> {
    const error = asClinicianError(caught);
    const isSignIn = pathOf(req) === callbackPath || pathOf(req) === routes.login;
    events.emit(isSignIn ? 'sign_in_failed' : 'request_failed', { code: error.code });
    // A page or a status only tells the person before it.
    if (!onError && isOperatorError(error)) events.warn(error);
    if (res.headersSent) next(caught);
    else if (onError) await onError(error, req, res, next);
    else if (!wantsHTML(req)) sendProblem(res, error);
    else if (isSignIn) signInFailed(error, req, res);
    else sendPage(res, error.status, errorPage(error, links, '/'));
  }

  /** The page has an address of its own: one that can be loaded anew, and that no code of the service's is left in. */
  function signInFailed(error: ClinicianError, req: Request & SiteRequest, res: Response): void {
    const failed = { error, returnTo: signIn.returnToOf(req), way: signIn.wayOf(req) };
    const isAnswer = pathOf(req) === callbackPath && isAuthorizationResponse(wireQuery(req));
    if (isAnswer && failedSignIns.keep(req, res, failed)) redirect(req, res, callbackPath);
    else showFailed(failed, req, res);
  }

  /** Whoever tries again in a window of its own stays in one: it still has to tell the page that opened it. */
  function linksFor(way: SignInMode): PageLinks {
    if (way !== 'popup' || !links.canLogin) return links;
    return { ...links, login: (returnTo) => `${links.login(returnTo)}&display=popup` };
  }

  function showFailed({ error, returnTo, way }: FailedSignIn, req: SiteRequest, res: Response): void {
    const noNewLogin = error.code === 'transaction_missing' || error.code === 'state_missing';
    if (noNewLogin && req.session?.clinician) sendPage(res, 200, signedInAlreadyPage(links));
    else sendPage(res, error.status, signInFailedPage(error, linksFor(way), returnTo));
  }

  /** HEAD is GET without the body, but for the callback: an answer of the service's is taken once. */
  function handlerOf(req: Request): RouteHandler | undefined {
    const { method } = req;
    const path = pathOf(req);
    const isHead = method === 'HEAD' && path !== callbackPath;
    return table.get(`${isHead ? 'GET' : method} ${path}`);
  }

  function failedEarlier(req: Request & SiteRequest): FailedSignIn | undefined {
    if (req.method !== 'GET' || pathOf(req) !== callbackPath || routes.callback === false) return undefined;
    return isAuthorizationResponse(wireQuery(req)) || !wantsHTML(req) ? undefined : failedSignIns.read(req);
  }

  return function clinicianRoutes(req, res, next) {
    const mistake = req.baseUrl ? misplaced(req.baseUrl, allowed.keys()) : undefined;
    if (mistake) return next(mistake);
    const failed = failedEarlier(req as Request & SiteRequest);
    if (failed) return showFailed(failed, req as Request & SiteRequest, res);
    const handler = handlerOf(req);
    if (handler) {
      Promise.resolve()
        .then(() => handler(req as Request & SiteRequest, res))
        .catch((error: unknown) => fail(error, req as Request & SiteRequest, res, next))
        .catch(next);
    } else if (allowed.has(pathOf(req))) {
      res.setHeader('Allow', allowed.get(pathOf(req)) as string);
      res.status(405).end();
    } else {
      next();
    }
  };
}
