import type { ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { Events } from '../events.js';
import { popupPage, popupPolicy } from '../html/pages.js';
import { silentCheckPage, silentCheckPolicy } from '../html/session-check-page.js';
import type { SessionLoss } from '../session/session-loss.js';
import { queryOf, type SiteRequest } from '../session/site-request.js';
import type { FailedSignIns } from '../sign-in/failed-sign-in.js';
import { isAuthorizationResponse, type Login } from '../sign-in/login.js';
import { requestedLogin, returnToPath } from '../sign-in/login-request.js';
import type { FinishSignIn, SignInResult } from '../sign-in/sign-in.js';
import type { PageLinks } from './error-responses.js';
import type { Failures } from './failures.js';
import { redirect, sendPage, wantsHTML } from './responses.js';
import type { Routes } from './routes.js';
import { lacksStrictCookie, reloadFromOwnPage } from './same-site-strict.js';
import { mayStartSilently } from './silent-sign-in.js';

/** Responds to one route. @internal */
export type RouteHandler = (req: Request, res: Response, next: NextFunction) => Promise<void> | void;

/** @returns a function that replaces a path of another origin, or one that would start or end another login, by `/`. */
function createReturnPaths(origin: string, callbackPath: string, routes: Routes): (requested: string) => string {
  const excluded = new Set<unknown>([routes.login, routes.logout, routes.forget, routes.loggedOut, callbackPath]);
  return (requested) => {
    const path = returnToPath(requested, origin);
    return excluded.has(path.split(/[?#]/, 1)[0]) ? '/' : path;
  };
}

export function createLoginHandlers(options: {
  origin: string;
  callbackPath: string;
  routes: Routes;
  links: PageLinks;
  login: Login;
  finishSignIn: FinishSignIn;
  sessionLoss: SessionLoss;
  failedSignIns: FailedSignIns;
  failures: Failures;
  events: Events;
}): { login: RouteHandler; callback: RouteHandler } {
  const { origin, callbackPath, routes, links, login, finishSignIn, sessionLoss, failedSignIns, failures, events } =
    options;
  const returnPathOf = createReturnPaths(origin, callbackPath, routes);

  function showResult(result: SignInResult, req: SiteRequest, res: ServerResponse): void {
    const { script, stylesheet, siteName } = links;
    const returnTo = returnPathOf(result.returnTo);
    if (result.check) sendPage(res, 200, silentCheckPage({ script, ...result.check }), silentCheckPolicy);
    else if (result.mode === 'popup')
      sendPage(res, 200, popupPage({ stylesheet, siteName, script, returnTo }), popupPolicy);
    else redirect(req, res, returnTo);
  }

  return {
    async login(req, res, next) {
      const { mode, parameters, returnTo: requested } = requestedLogin(queryOf(req));
      const returnTo = returnPathOf(requested);
      const fail = (error: unknown) => failures.failSignIn(error, { mode, returnTo }, { req, res, next });
      const notSaved = !(req as SiteRequest).session?.clinician && sessionLoss.detect(req, res);
      if (notSaved) return fail(notSaved);
      if (parameters.prompt === 'none' && !mayStartSilently(req)) {
        // Another site's page cannot change the user who is signed in here.
        return showResult({ mode, returnTo, ...(mode === 'check' && { check: { outcome: 'error' } }) }, req, res);
      }
      try {
        const url = await login.start(req, res, { ...parameters, returnTo });
        events.emit('sign_in_started');
        redirect(req, res, url);
      } catch (error) {
        // A silent sign-in shows no error: the user requested nothing.
        if (mode !== 'silent') return fail(error);
        redirect(req, res, returnTo);
      }
    },

    async callback(req, res, next) {
      if (!isAuthorizationResponse(queryOf(req)) && wantsHTML(req) && failures.showSaved(req, res)) return;
      if (lacksStrictCookie(req)) return reloadFromOwnPage(req, res, callbackPath, links);
      const result = await finishSignIn(req, res);
      if ('error' in result) return failures.failSignIn(result.error, result, { req, res, next });
      if ((req as SiteRequest).session?.clinician) failedSignIns.clear(req, res);
      showResult(result, req, res);
    },
  };
}
