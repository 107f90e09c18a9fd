import type { ServerResponse } from 'node:http';
import type { Request, Response } from 'express';
import type { Events } from '../events.js';
import { loggedOutPage, popupPage, popupPolicy } from '../html/pages.js';
import {
  sessionCheckPage,
  sessionCheckPolicy,
  silentCheckPage,
  silentCheckPolicy,
} from '../html/session-check-page.js';
import type { ServiceLogout } from '../session/service-logout.js';
import type { SessionLoss } from '../session/session-loss.js';
import type { SiteRequest } from '../session/types.js';
import type { FailedSignIns } from '../sign-in/failed-sign-in.js';
import { type Login, wireQuery } from '../sign-in/login.js';
import { loginParameters } from '../sign-in/login-parameters.js';
import { returnToPath } from '../sign-in/return-to.js';
import type { SignIn, SignInResult } from '../sign-in/sign-in.js';
import { modeOf } from '../sign-in/sign-in-mode.js';
import { mayAskSilently, type SilentSignIn } from '../sign-in/silent-sign-in.js';
import { checkRoutes } from './check-routes.js';
import { assertSameOrigin, type CSRFProtection } from './csrf.js';
import { type PageLinks, redirect, sendPage } from './error-responses.js';
import { lacksStrictCookie, reloadFromOwnPage } from './same-site-strict.js';
import { sendScript, sendStyles } from './static-files.js';
import { wantsHTML } from './wants-html.js';

/** Where the drop-in's routes are. Each can be another path, or `false` to leave it out. The callback route is where `callbackURL` says. */
export interface Routes {
  /** Starts a login: `GET /auth/login?returnTo=/path`. @default '/auth/login' */
  login?: string | false;
  /** Ends a login. @default true: the path of `callbackURL` */
  callback?: boolean;
  /** Signs out: a POST from one of the site's own pages. @default '/auth/logout' */
  logout?: string | false;
  /** Forgets: revokes and erases everything kept of the person, on every session. A POST from one of the site's own pages. @default '/auth/forget' */
  forget?: string | false;
  /** Says that the person is signed out; the service leads back to it. @default '/auth/logged-out' */
  loggedOut?: string | false;
  /** The page that watches the session at the service, for `sessionCheckFrame()`. @default '/auth/session-check' */
  sessionCheck?: string | false;
  /** The client script, for the sign-in in a window of its own and the session check. @default '/auth/clinician.js' */
  clientScript?: string | false;
  /** The style sheet of the button and the pages. @default '/auth/clinician.css' */
  stylesheet?: string | false;
}

/** What the routes are made of. @internal */
export interface RouteOptions {
  origin: string;
  callbackPath: string;
  clientID: string;
  login: Login;
  silentSignIn: SilentSignIn;
  signIn: SignIn;
  events: Events;
  keptSession: SessionLoss;
  failedSignIns: FailedSignIns;
  csrf: CSRFProtection;
  serviceLogout: ServiceLogout;
  links: PageLinks;
  routes: Routes;
}

/** Answers one route. @internal */
export type RouteHandler = (req: Request & SiteRequest, res: Response) => Promise<void> | void;

/** @returns what makes a path that a login may come back to: never one that would start or end another. */
function returnToFilter({ routes, callbackPath, origin }: RouteOptions): (wanted: string | undefined) => string {
  const own = new Set<unknown>([routes.login, routes.logout, routes.forget, routes.loggedOut, callbackPath]);
  return (wanted) => {
    const path = returnToPath(wanted, origin);
    return own.has(path.split(/[?#]/, 1)[0]) ? '/' : path;
  };
}

/** Signs out here and, where a person's browser can be sent there, at the service. Answers. */
export async function signOut(options: RouteOptions, req: SiteRequest, res: ServerResponse): Promise<void> {
  const { signIn, serviceLogout, silentSignIn, failedSignIns, routes } = options;
  const ended = await signIn.end(req);
  silentSignIn.pause(res);
  failedSignIns.drop(req, res);
  if (wantsHTML(req)) redirect(req, res, (await serviceLogout.start(res, ended)) ?? (routes.loggedOut || '/'));
  else res.writeHead(204).end();
}

/** Forgets whoever is signed in. Answers. */
async function forget(options: RouteOptions, req: SiteRequest, res: ServerResponse): Promise<void> {
  const { signIn, silentSignIn, failedSignIns, routes } = options;
  await signIn.forget(req);
  silentSignIn.pause(res);
  failedSignIns.drop(req, res);
  if (wantsHTML(req)) redirect(req, res, routes.loggedOut || '/');
  else res.writeHead(204).end();
}

/** Lets a request through that the site's own pages made. */
function fromOwnPages({ csrf }: RouteOptions, handler: RouteHandler): RouteHandler {
  return async function ownPagesOnly(req, res) {
    await assertSameOrigin(csrf, req);
    await handler(req, res);
  };
}

function loggedOut({ serviceLogout, links }: RouteOptions): RouteHandler {
  return function clinicianLoggedOut(req, res) {
    const atService = serviceLogout.finish(req, res);
    if (req.session?.clinician) redirect(req, res, '/');
    else
      sendPage(
        res,
        200,
        loggedOutPage({
          stylesheet: links.stylesheet,
          siteName: links.siteName,
          signInAgain: links.login('/'),
          atService,
        }),
      );
  };
}

/** Answers a login that has ended. */
function goOn(
  { links }: RouteOptions,
  req: SiteRequest,
  res: ServerResponse,
  { returnTo, way, check }: SignInResult,
  safe: (path: string) => string,
): void {
  const { script, stylesheet, siteName } = links;
  if (check) sendPage(res, 200, silentCheckPage({ script, ...check }), silentCheckPolicy);
  else if (way === 'popup')
    sendPage(res, 200, popupPage({ stylesheet, siteName, script, returnTo: safe(returnTo) }), popupPolicy);
  else redirect(req, res, safe(returnTo));
}

/** The page that watches the session at the service. For somebody who is signed out, or without OpenID, it is idle. */
function sessionCheck({ login, clientID, links, routes }: RouteOptions): RouteHandler {
  return async function clinicianSessionCheck(req, res) {
    const sessionState = req.session?.clinician?.sessionState;
    const checkSessionIframe = sessionState === undefined ? '' : ((await login.server.checkSessionIframe()) ?? '');
    const watched = Boolean(routes.login && routes.logout && routes.callback !== false);
    const page = sessionCheckPage({
      script: links.script,
      checkSessionIframe,
      clientID,
      sessionState: watched ? sessionState : undefined,
      silentCheck: `${routes.login || '/'}?prompt=none&frame=check`,
      signOut: routes.logout || '/',
    });
    sendPage(res, 200, page, sessionCheckPolicy(checkSessionIframe));
  };
}

/** @returns the drop-in's routes, by method and path. */
export function routeTable(options: RouteOptions): Map<string, RouteHandler> {
  const { callbackPath, login, signIn, failedSignIns, links, routes, events, keptSession } = options;
  checkRoutes(routes, callbackPath);
  const safe = returnToFilter(options);
  const handlers: [method: string, path: string | false | undefined, handler: RouteHandler][] = [
    [
      'GET',
      routes.login,
      async (req, res) => {
        const notKept = !req.session?.clinician && keptSession.detect(req, res);
        if (notKept) throw notKept;
        const parameters = loginParameters(wireQuery(req));
        const returnTo = safe(parameters.returnTo);
        const way = modeOf(parameters.appState);
        const isSilent = way === 'silent';
        if (parameters.prompt === 'none' && !mayAskSilently(req)) {
          // Another site's page has no say in who is signed in here.
          goOn(options, req, res, { returnTo, way, ...(way === 'check' && { check: { outcome: 'error' } }) }, safe);
          return;
        }
        try {
          const url = await login.start(req, res, { ...parameters, returnTo });
          events.emit('sign_in_started');
          redirect(req, res, url);
        } catch (error) {
          // Nobody was asked, so nobody is shown that it did not work.
          if (!isSilent) throw error;
          redirect(req, res, returnTo);
        }
      },
    ],
    [
      'GET',
      routes.callback !== false && callbackPath,
      async (req, res) => {
        if (lacksStrictCookie(req)) return reloadFromOwnPage(req, res, callbackPath, links);
        const finished = await signIn.finish(req, res);
        if (req.session?.clinician) failedSignIns.drop(req, res);
        goOn(options, req, res, finished, safe);
      },
    ],
    ['POST', routes.logout, fromOwnPages(options, (req, res) => signOut(options, req, res))],
    ['POST', routes.forget, fromOwnPages(options, (req, res) => forget(options, req, res))],
    ['GET', routes.loggedOut, loggedOut(options)],
    ['GET', routes.sessionCheck, sessionCheck(options)],
    ['GET', routes.clientScript, sendScript],
    ['GET', routes.stylesheet, sendStyles],
  ];
  return new Map(
    handlers.flatMap(([method, path, handler]) => (path ? [[`${method} ${path}`, handler] as const] : [])),
  );
}
