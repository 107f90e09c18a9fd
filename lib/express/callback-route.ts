import type { ServerResponse } from 'node:http';
import type { Events } from '../events/events.js';
import { confirmSignInPage, continuePage, popupPage } from '../html/pages.js';
import type { LoginSession } from '../session/login-session.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { type Attempt, type Attempts, isAuthorizationResponse } from '../sign-in/attempts.js';
import { isSameOrigin, returnToPath } from '../sign-in/same-origin.js';
import type { SignIn, SignInTarget } from '../sign-in/sign-in.js';
import { UserChangeError } from '../sign-in/user-change.js';
import type { ErrorResponses } from './error-responses.js';
import type { Exchange, Next } from './http-types.js';
import type { PageLinks } from './paths.js';
import { redirect, sendPage, wantsHTML } from './responses.js';
import type { SavedFailure } from './saved-failure.js';
import type { UserChanges } from './user-changes.js';

/** Marks a request that a page of this site has repeated. */
const MARKER = 'reloaded';

interface CallbackRouteParts {
  origin: string;
  callbackPath: string;
  links: PageLinks;
  attempts: Attempts;
  signIn: Pick<SignIn, 'finish'>;
  loginSession: LoginSession;
  userChanges: UserChanges;
  errorResponses: Pick<ErrorResponses, 'failSignIn' | 'showSaved'>;
  savedFailure: Pick<SavedFailure, 'clear'>;
  events: Events;
}

/** Finishes an attempt of the Passport strategy. @internal */
export type FinishByPassport = (response: URLSearchParams, attempt: Attempt | undefined) => void;

/** Finishes logins of the drop-in, at the path of `callbackURL`. @internal */
export class CallbackRoute {
  readonly #parts: CallbackRouteParts;

  constructor(parts: CallbackRouteParts) {
    this.#parts = parts;
  }

  /** Responds to a request at the callback. @param finish @default next() */
  async handle(req: SessionRequest, res: ServerResponse, next: Next, finish?: FinishByPassport): Promise<void> {
    const { attempts, callbackPath: path, origin, links } = this.#parts;
    const response = queryOf(req);
    if (!isAuthorizationResponse(response) && this.#showWaiting(req, res)) return;
    const attempt = attempts.find(req, response);
    const fromOtherSite = attempt?.appState.fromOtherSite === true;
    if (showContinuePage(req, res, response, { origin, path, links, fromOtherSite })) return;
    if (!this.#isOfPassport(req, response, attempt, finish)) {
      return this.#finish({ req, res, next }, response, attempt);
    }
    this.#clearSaved(req, res);
    if (finish) finish(response, attempt);
    else next();
  }

  /** @returns true for a request of the path of `callbackURL`. */
  isCallback(req: SessionRequest): boolean {
    return this.#parts.links.pathOf(req) === this.#parts.callbackPath;
  }

  /**
   * Asks the user at the callback before another user is signed in. @returns the path to redirect to; undefined for an error to
   * report
   */
  askForChange(error: unknown, req: SessionRequest, res: ServerResponse): string | undefined {
    const { userChanges, savedFailure, callbackPath } = this.#parts;
    if (!(error instanceof UserChangeError) || !userChanges.save(error, req, res)) return undefined;
    savedFailure.clear(req, res);
    return callbackPath;
  }

  /** Shows what waits for the user at the callback, in a request without a response. @returns false if nothing does */
  #showWaiting(req: SessionRequest, res: ServerResponse): boolean {
    const { errorResponses, userChanges } = this.#parts;
    if (wantsHTML(req) && errorResponses.showSaved(req, res)) return true;
    return userChanges.show(req, res);
  }

  /** A response that belongs to no attempt is reported as Passport does, except to a signed-in user, who mostly went back. */
  #isOfPassport(
    req: SessionRequest,
    response: URLSearchParams,
    attempt: Attempt | undefined,
    finish: FinishByPassport | undefined,
  ): boolean {
    if (attempt) return attempt.appState.owner === 'strategy';
    return finish !== undefined && isAuthorizationResponse(response) && !this.#parts.loginSession.find(req);
  }

  async #finish(exchange: Exchange, response: URLSearchParams, attempt: Attempt | undefined): Promise<void> {
    const { signIn, loginSession, errorResponses, events } = this.#parts;
    const { req, res } = exchange;
    const result = await signIn.finish(req, res, response, attempt);
    if ('error' in result) {
      const path = this.askForChange(result.error, req, res);
      if (path === undefined) return errorResponses.failSignIn(result.error, result, exchange);
      events.emit('sign_in_failed', { error: result.error });
      return redirect(req, res, path);
    }
    if (loginSession.find(req)) this.#clearSaved(req, res);
    showResult(result, req, res, this.#parts);
  }

  #clearSaved(req: SessionRequest, res: ServerResponse): void {
    this.#parts.savedFailure.clear(req, res);
    this.#parts.userChanges.clear(req, res);
  }
}

/** Shows the result of a login that has not failed. */
export function showResult(
  result: SignInTarget,
  req: SessionRequest,
  res: ServerResponse,
  { links, origin }: { links: PageLinks; origin: string },
): void {
  const returnTo = links.inBrowser(req, returnToPath(result.returnTo, origin));
  if (result.mode === 'popup') sendPage(res, 200, popupPage({ ...links, returnTo }));
  else redirect(req, res, returnTo);
}

/**
 * @returns true for a request that lacks the site's `SameSite=Strict` session cookie: browsers omit it from requests that another
 * site's page led to, redirects included. The callback would then miss the session.
 * Older browsers do not identify that site: for them, every callback is repeated once.
 */
export function lacksStrictCookie(req: SessionRequest, query: URLSearchParams): boolean {
  const sameSite = req.session?.cookie?.sameSite;
  if (sameSite !== 'strict' && sameSite !== true) return false;
  const site = req.headers['sec-fetch-site'];
  return site === undefined ? wantsHTML(req) && !query.has(MARKER) : site === 'cross-site';
}

/**
 * Sends a page of this site that repeats the request of the callback, so that the browser sends the session cookie. A login
 * that another site has started needs a click there: the next requests are those of a page of this site, also the one for
 * `returnTo`. A callback that the browser itself marks as cross-site needs none, because the redirect after it has the same
 * mark.
 * @returns false if no page is needed
 */
function showContinuePage(
  req: SessionRequest,
  res: ServerResponse,
  query: URLSearchParams,
  { origin, path, links, fromOtherSite }: { origin: string; path: string; links: PageLinks; fromOtherSite: boolean },
): boolean {
  const isRepeated = query.has(MARKER);
  const lacksCookie = lacksStrictCookie(req, query);
  const looksOwn = !isRepeated && isSameOrigin(req, origin) === true;
  const isNeeded = fromOtherSite ? lacksCookie || looksOwn : lacksCookie && !isRepeated;
  if (!isNeeded) return false;
  const repeated = new URLSearchParams(query);
  repeated.set(MARKER, '1');
  const page = fromOtherSite ? confirmSignInPage : continuePage;
  sendPage(res, 200, page({ ...links, next: `${path}?${repeated}` }));
  return true;
}
