import type { ServerResponse } from 'node:http';
import type { PageLook } from '../html/page.js';
import { continuePage } from '../html/pages.js';
import {
  hasStrictCookie,
  queryOf,
  type SessionRequest,
  type SiteSession,
  sessionCookies,
} from '../session/site-session.js';
import { type Attempt, type Attempts, isAuthorizationResponse } from '../sign-in/attempts.js';
import { type ReturnToSite, returnToPath } from '../sign-in/same-origin.js';
import type { LoginDisplays, SignIn, SignInTarget } from '../sign-in/sign-in.js';
import type { ErrorResponses } from './error-responses.js';
import type { Exchange, Next } from './http-types.js';
import type { SitePaths } from './paths.js';
import { redirect, sendPage, wantsHTML } from './responses.js';
import type { SavedFailure } from './saved-failure.js';

/** Marks a request that a page of this site has repeated. */
const MARKER = 'reloaded';

interface CallbackRouteParts extends ReturnToSite {
  callbackPath: string;
  look: PageLook;
  paths: SitePaths;
  attempts: Attempts;
  signIn: Pick<SignIn, 'finish'>;
  loginSession: SiteSession;
  errorResponses: Pick<ErrorResponses, 'failSignIn' | 'showSaved'>;
  savedFailure: Pick<SavedFailure, 'clear'>;
  displays: LoginDisplays;
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
    const { attempts, errorResponses, savedFailure } = this.#parts;
    const response = queryOf(req);
    if (!isAuthorizationResponse(response) && wantsHTML(req) && errorResponses.showSaved(req, res)) return;
    const attempt = attempts.find(req, response);
    if (repeatFromOwnPage(req, res, response, attempt, this.#parts, this.#parts.look)) return;
    if (!this.#isOfPassport(req, response, attempt, finish)) {
      return this.#finish({ req, res, next }, response, attempt);
    }
    savedFailure.clear(req, res);
    if (finish) finish(response, attempt);
    else next();
  }

  /** @returns true for a request of the path of `callbackURL`. */
  isCallback(req: SessionRequest): boolean {
    return this.#parts.paths.pathOf(req) === this.#parts.callbackPath;
  }

  /** A response that belongs to no attempt is reported as Passport does, except to a signed-in user, who mostly went back. */
  #isOfPassport(
    req: SessionRequest,
    response: URLSearchParams,
    attempt: Attempt | undefined,
    finish: FinishByPassport | undefined,
  ): boolean {
    if (attempt) return attempt.appState.mode === 'passport';
    return finish !== undefined && isAuthorizationResponse(response) && !this.#parts.loginSession.find(req);
  }

  async #finish(exchange: Exchange, response: URLSearchParams, attempt: Attempt | undefined): Promise<void> {
    const { signIn, loginSession, errorResponses, savedFailure } = this.#parts;
    const { req, res } = exchange;
    const result = await signIn.finish(req, res, response, attempt);
    if ('error' in result) return errorResponses.failSignIn(result.error, result, exchange);
    if (loginSession.find(req)) savedFailure.clear(req, res);
    showResult(result, req, res, this.#parts);
  }
}

/** Shows the result of a login that has not failed. */
export function showResult(
  result: SignInTarget,
  req: SessionRequest,
  res: ServerResponse,
  site: ReturnToSite & { paths: SitePaths; displays: LoginDisplays },
): void {
  const { paths, displays } = site;
  const display = displays[result.mode];
  const returnTo = paths.inBrowser(req, returnToPath(result.returnTo, site));
  if (display) display.show(res, returnTo);
  else redirect(req, res, returnTo);
}

/**
 * Sends a page of this site that repeats, once, a request that lacks the session cookie of a site with a `SameSite=Strict`
 * session: browsers omit it after a page of another site, some also after redirects from there. The callback would not see who
 * is signed in. The page waits for a click if another site may have started the login: the request of `returnTo` is then one of
 * a page of this site. @returns false if no page is needed
 */
export function repeatFromOwnPage(
  req: SessionRequest,
  res: ServerResponse,
  response: URLSearchParams,
  attempt: Attempt | undefined,
  { callbackPath }: { callbackPath: string },
  look: PageLook,
): boolean {
  if (!hasStrictCookie(req) || response.has(MARKER) || sessionCookies(req).length > 0) return false;
  const repeated = new URLSearchParams(response);
  repeated.set(MARKER, '1');
  const next = `${callbackPath}?${repeated}`;
  // A response to no attempt may come from another site, too.
  const waits = attempt === undefined || attempt.appState.fromOtherSite === true;
  sendPage(res, 200, continuePage(look, next, waits));
  return true;
}
