import type { ServerResponse } from 'node:http';
import type { Events } from '../events.js';
import { continuePage, popupPage, popupPolicy } from '../html/pages.js';
import type { SessionLoss } from '../session/session-loss.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { isAuthorizationResponse, type Login } from '../sign-in/login.js';
import { requestedLogin, returnToPath } from '../sign-in/login-request.js';
import type { FinishSignIn, SignInResult } from '../sign-in/sign-in.js';
import type { Failures } from './failures.js';
import { type PageLinks, redirect, sendPage, wantsHTML } from './responses.js';
import type { ResolvedRoutes, RouteHandler } from './routes.js';
import { mayStartSilently } from './silent-sign-in.js';

/** @returns a function that replaces a path of another origin, or one that would start or end another login, by `/`. */
function createReturnPaths(
  origin: string,
  callbackPath: string,
  routes: ResolvedRoutes,
): (requested: string) => string {
  const excluded = new Set<unknown>([routes.login, routes.logout, routes.forget, routes.loggedOut, callbackPath]);
  return (requested) => {
    const path = returnToPath(requested, origin);
    return excluded.has(path.split(/[?#]/, 1)[0]) ? '/' : path;
  };
}

export function createLoginHandlers(options: {
  origin: string;
  callbackPath: string;
  routes: ResolvedRoutes;
  links: PageLinks;
  login: Login;
  finishSignIn: FinishSignIn;
  sessionLoss: SessionLoss;
  failures: Failures;
  events: Events;
}): { login: RouteHandler; callback: RouteHandler } {
  const { origin, callbackPath, routes, links, login, finishSignIn, sessionLoss, failures, events } = options;
  const returnPathOf = createReturnPaths(origin, callbackPath, routes);

  function showResult(result: SignInResult, req: SessionRequest, res: ServerResponse): void {
    const { clientScript: script } = links;
    const returnTo = returnPathOf(result.returnTo);
    if (result.mode === 'popup') sendPage(res, 200, popupPage({ ...links, script, returnTo }), popupPolicy);
    else redirect(req, res, returnTo);
  }

  return {
    async login(req, res, next) {
      const { mode, parameters, returnTo: requested } = requestedLogin(queryOf(req));
      const returnTo = returnPathOf(requested);
      const fail = (error: unknown) => failures.failSignIn(error, { mode, returnTo }, { req, res, next });
      const notSaved = !(req as SessionRequest).session?.clinician && sessionLoss.detect(req, res);
      if (notSaved) return fail(notSaved);
      if (parameters.prompt === 'none' && !mayStartSilently(req)) {
        // Another site's page cannot change the user who is signed in here.
        return showResult({ mode, returnTo }, req, res);
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
      if ((req as SessionRequest).session?.clinician) failures.clearSaved(req, res);
      showResult(result, req, res);
    },
  };
}

/** Marks a request that a page of this site has repeated, so that it is repeated only once. */
const MARKER = 'reloaded';

/**
 * @returns true for a request that lacks the site's `SameSite=Strict` session cookie: browsers omit it from requests that another
 * site's page led to, redirects included. The callback would then miss the session.
 * Older browsers do not identify that site: for them, every callback is repeated once.
 */
function lacksStrictCookie(req: SessionRequest): boolean {
  const sameSite = req.session?.cookie?.sameSite;
  if (sameSite !== 'strict' && sameSite !== true) return false;
  if (queryOf(req).has(MARKER)) return false;
  const site = req.headers['sec-fetch-site'];
  return site === undefined ? wantsHTML(req) : site === 'cross-site';
}

/** Sends a page of this site that repeats the request: the browser then sends the session cookie. */
function reloadFromOwnPage(req: SessionRequest, res: ServerResponse, path: string, links: PageLinks): void {
  const query = queryOf(req);
  query.set(MARKER, '1');
  const next = `${path}?${query}`;
  res.setHeader('Refresh', `0; url=${next}`);
  sendPage(res, 200, continuePage({ ...links, next }));
}
