import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { AuthorizationParameters } from '../authorization-server/authorization-server.js';
import { type ClinicianError, ConfigurationError, DeniedError } from '../errors.js';
import { loggedOutPage } from '../html/logged-out-page.js';
import { styles } from '../html/styles.js';
import { type AnswerLinks, asClinicianError, errorPage, redirect, sendPage, sendProblem } from './answers.js';
import { isFromOwnPages } from './csrf.js';
import { type Login, wireQuery } from './login.js';
import { returnToPath } from './return-to.js';
import type { SignIn } from './sign-in.js';
import type { SiteRequest } from './types.js';
import { wantsHTML } from './wants-html.js';

/** Where the drop-in's routes are. Each can be another path, or `false` to leave it out. The callback route is where `callbackURL` says. */
export interface Routes {
  /** Starts a login: `GET /auth/login?returnTo=/path`. @default '/auth/login' */
  login?: string | false;
  /** Ends a login. @default true: the path of `callbackURL` */
  callback?: boolean;
  /** Signs out: a POST from one of the site's own pages. @default '/auth/logout' */
  logout?: string | false;
  /** Says that the person is signed out. @default '/auth/logged-out' */
  loggedOut?: string | false;
  /** The style sheet of the button and the pages. @default '/auth/clinician.css' */
  stylesheet?: string | false;
}

/** What to do instead of showing this package's page when a login or logout fails. */
export type ErrorHandler = (error: ClinicianError, req: Request, res: Response, next: NextFunction) => void;

type Handler = (req: Request & SiteRequest, res: Response) => Promise<void> | void;

const STYLES = Buffer.from(styles);

function once(query: URLSearchParams, name: string): string | undefined {
  const [value, another] = query.getAll(name);
  return another === undefined ? value : undefined;
}

/** What a link to the login route may ask for; anything else in the link is left alone. */
function loginParameters(query: URLSearchParams): AuthorizationParameters {
  const prompt = once(query, 'prompt');
  const type = once(query, 'type');
  return {
    returnTo: once(query, 'returnTo') ?? '/',
    ...(prompt && ['login', 'consent', 'create'].includes(prompt) && { prompt }),
    ...((type === 'verify' || type === 'login') && { type }),
  };
}

/** Tells whoever runs the site of a fault, as Node tells of its own: a page or a status only tells the person before it. */
function warn(error: ClinicianError): void {
  if (error.remedy === 'retry' || error.remedy === 'investigate' || error.remedy === 'fix_code') {
    process.emitWarning(error.message, { type: 'ClinicianWarning', code: error.code });
  }
}

export interface RouterOptions {
  origin: string;
  callbackPath: string;
  login: Login;
  signIn: SignIn;
  links: AnswerLinks;
  routes: Routes;
  onError: ErrorHandler | undefined;
}

/** @returns the paths a login must not come back to: it would start or end another one. */
function ownPaths({ routes, callbackPath }: RouterOptions): Set<unknown> {
  return new Set([routes.login, routes.logout, callbackPath]);
}

function routeTable(options: RouterOptions): Map<string, Handler> {
  const { origin, callbackPath, login, signIn, links, routes } = options;
  const own = ownPaths(options);

  function safeReturnTo(wanted: string | undefined): string {
    const path = returnToPath(wanted, origin);
    return own.has(path.split(/[?#]/, 1)[0]) ? '/' : path;
  }

  const handlers: [method: string, path: string | false | undefined, handler: Handler][] = [
    [
      'GET',
      routes.login,
      async (req, res) => {
        const parameters = loginParameters(wireQuery(req));
        const returnTo = safeReturnTo(parameters.returnTo);
        redirect(req, res, await login.start(req, res, { ...parameters, returnTo }));
      },
    ],
    [
      'GET',
      routes.callback !== false && callbackPath,
      async (req, res) => redirect(req, res, safeReturnTo(await signIn.finish(req, res))),
    ],
    [
      'POST',
      routes.logout,
      async (req, res) => {
        if (!isFromOwnPages(req, origin)) {
          throw new DeniedError(
            'cross_site_request',
            "Signing out must be asked for from one of this site's own pages.",
          );
        }
        await signIn.end(req);
        if (wantsHTML(req)) redirect(req, res, routes.loggedOut || '/');
        else res.status(204).end();
      },
    ],
    [
      'GET',
      routes.loggedOut,
      (_req, res) => sendPage(res, 200, loggedOutPage({ stylesheet: links.stylesheet, signInAgain: links.login('/') })),
    ],
    [
      'GET',
      routes.stylesheet,
      (_req, res) => {
        res.setHeader('Content-Type', 'text/css; charset=utf-8');
        res.setHeader('Cache-Control', 'public, max-age=3600');
        res.setHeader('X-Content-Type-Options', 'nosniff');
        res.end(STYLES);
      },
    ],
  ];
  return new Map(
    handlers.flatMap(([method, path, handler]) => (path ? [[`${method} ${path}`, handler] as const] : [])),
  );
}

/** Refuses route options that could not work. */
function checkRoutes(routes: Routes): void {
  for (const [name, path] of Object.entries(routes)) {
    if (typeof path === 'boolean' || path === undefined || (typeof path === 'string' && /^\/[^\s?#]*$/.test(path)))
      continue;
    throw new ConfigurationError(
      'option_invalid',
      `passport-clinician: routes.${name} must be a path that starts with '/', or false.`,
    );
  }
}

/** @returns middleware that answers the drop-in's own routes and passes everything else on. */
export function createRoutes(options: RouterOptions): RequestHandler {
  checkRoutes(options.routes);
  const table = routeTable(options);
  const allowed = new Map(
    [...table.keys()].map((key) => key.split(' ') as [string, string]).map(([method, path]) => [path, method]),
  );

  function fail(caught: unknown, req: Request & SiteRequest, res: Response, next: NextFunction): void {
    const error = asClinicianError(caught);
    if (!options.onError) warn(error);
    if (res.headersSent) next(caught);
    else if (options.onError) options.onError(error, req, res, next);
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
