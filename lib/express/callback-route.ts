import type { PageLook } from '../html/page.js';
import { continuePage } from '../html/pages.js';
import type { Site } from '../options/site.js';
import { hasStrictCookie, sessionCookies } from '../session/site-session.js';
import type { Visit } from '../session/visit.js';
import { type Attempt, type Attempts, isAuthorizationResponse } from '../sign-in/attempts.js';
import type { AttemptFinisher, LoginDisplays, SignInTarget } from '../sign-in/sign-in.js';
import type { ErrorResponses } from './error-responses.js';
import type { SitePaths } from './paths.js';
import { sendPage, showResult } from './responses.js';
import type { SavedFailure } from './saved-failure.js';

/** Marks a request that a page of this site has repeated. */
const MARKER = 'reloaded';

/** Finishes an attempt of the Passport strategy. @internal */
export type FinishByPassport = (response: URLSearchParams, attempt: Attempt | undefined) => void;

/** What finishes the attempts that are no sign-in, by mode. */
type AttemptFinishers = Readonly<Partial<Record<string, AttemptFinisher>>>;

/** Finishes logins of the drop-in, at the path of `callbackURL`. @internal */
export class CallbackRoute {
  readonly #site: Pick<Site, 'callbackPath'>;
  readonly #look: PageLook;
  readonly #paths: SitePaths;
  readonly #displays: LoginDisplays;
  readonly #attempts: Pick<Attempts, 'find' | 'take'>;
  readonly #signIn: AttemptFinisher;
  readonly #finishers: AttemptFinishers;
  readonly #errorResponses: Pick<ErrorResponses, 'fail' | 'showSaved'>;
  readonly #savedFailure: Pick<SavedFailure, 'clear'>;

  constructor(
    site: Pick<Site, 'callbackPath'>,
    look: PageLook,
    paths: SitePaths,
    displays: LoginDisplays,
    attempts: Pick<Attempts, 'find' | 'take'>,
    signIn: AttemptFinisher,
    finishers: AttemptFinishers,
    errorResponses: Pick<ErrorResponses, 'fail' | 'showSaved'>,
    savedFailure: Pick<SavedFailure, 'clear'>,
  ) {
    this.#site = site;
    this.#look = look;
    this.#paths = paths;
    this.#displays = displays;
    this.#attempts = attempts;
    this.#signIn = signIn;
    this.#finishers = finishers;
    this.#errorResponses = errorResponses;
    this.#savedFailure = savedFailure;
  }

  /** Responds to a request at the callback. @param finish @default next() */
  async handle(visit: Visit, finish?: FinishByPassport): Promise<void> {
    const { query: response } = visit;
    if (!isAuthorizationResponse(response) && visit.isPage && this.#errorResponses.showSaved(visit)) return;
    const attempt = this.#attempts.find(visit);
    if (repeatFromOwnPage(visit, attempt, this.#site, this.#look)) return;
    if (isOfPassport(visit, attempt, finish)) {
      this.#savedFailure.clear(visit);
      if (finish) finish(response, attempt);
      else visit.next();
      return;
    }
    await this.#finish(visit, attempt);
  }

  /** @returns true for a request of the path of `callbackURL`. */
  isCallback(visit: Visit): boolean {
    return this.#paths.pathOf(visit) === this.#site.callbackPath;
  }

  /** @param found see {@link Attempts.take} */
  async #finish(visit: Visit, found: Attempt | undefined): Promise<void> {
    let target: SignInTarget = { mode: 'page', returnTo: '/' };
    try {
      const attempt = this.#attempts.take(visit, found);
      const { mode } = attempt.appState;
      target = { mode, returnTo: attempt.returnTo ?? '/' };
      // Throws without a session, before the code is redeemed.
      visit.readLogin();
      await (this.#finishers[mode] ?? this.#signIn).finish(visit, attempt);
    } catch (error) {
      return this.#errorResponses.fail(error, visit, target);
    }
    if (visit.login) this.#savedFailure.clear(visit);
    showResult(visit, target, this.#paths, this.#displays);
  }
}

/**
 * Sends a page of this site that repeats, once, a request that lacks the session cookie of a site with a `SameSite=Strict`
 * session: browsers omit it after a page of another site, some also after redirects from there. The callback would not see who
 * is signed in. The page waits for a click if another site may have started the login: the request of `returnTo` is then one of
 * a page of this site. @returns false if no page is needed
 */
export function repeatFromOwnPage(
  visit: Visit,
  attempt: Attempt | undefined,
  { callbackPath }: Pick<Site, 'callbackPath'>,
  look: PageLook,
): boolean {
  const { req, query } = visit;
  if (!hasStrictCookie(req) || query.has(MARKER) || sessionCookies(req).length > 0) return false;
  const repeated = new URLSearchParams(query);
  repeated.set(MARKER, '1');
  const next = `${callbackPath}?${repeated}`;
  // A response to no attempt may come from another site, too.
  const waits = attempt === undefined || attempt.appState.fromOtherSite === true;
  sendPage(visit, 200, continuePage(look, next, waits));
  return true;
}

/** A response that belongs to no attempt is reported as Passport does, except to a signed-in user, who mostly went back. */
function isOfPassport(visit: Visit, attempt: Attempt | undefined, finish: FinishByPassport | undefined): boolean {
  if (attempt) return attempt.appState.mode === 'passport';
  return finish !== undefined && isAuthorizationResponse(visit.query) && !visit.login;
}
