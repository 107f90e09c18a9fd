import { ClinicianError, type ErrorDetails } from '../errors/errors.js';
import { developerText } from '../html/error-pages.js';
import type { Site } from '../options/site.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import { type MemberTypes, parseStored } from '../sealing/sealer.js';
import { hasStrictCookie } from '../session/site-session.js';
import type { SignInEnd, Visit } from '../session/visit.js';

const LIFETIME_SECONDS = 10 * 60;
/** The page of a denial shows 300 characters, and marks a longer text. */
const MAX_MESSAGE_LENGTH = 500;

/** A sign-in that has failed. @internal */
export interface FailedSignIn extends SignInEnd {
  error: ClinicianError;
  /** True until a page of the site has read it. */
  isUnread?: boolean | undefined;
}

/** The contents of the cookie: what a page shows. */
interface SavedSignIn extends SignInEnd, Pick<ErrorDetails, 'code' | 'status' | 'remedy' | 'retryAt' | 'link'> {
  /** The text of a denial; in development, also of other errors. */
  message: string;
  isUnread?: boolean | undefined;
  savedAt: number;
}

const savedMembers: MemberTypes<SavedSignIn> = {
  code: 'string',
  status: 'number',
  remedy: 'string',
  retryAt: 'number?',
  link: 'object?',
  message: 'string',
  mode: 'string',
  returnTo: 'string',
  isUnread: 'boolean?',
  savedAt: 'number',
};

/** Saves a failed sign-in in a sealed cookie, for the page that reports it. @internal */
export class SavedFailure {
  readonly #site: Site;
  readonly #cookie: Cookie;

  constructor(site: Site, cookies: Cookies) {
    this.#site = site;
    this.#cookie = cookies.sealed('failed', LIFETIME_SECONDS);
  }

  /** @returns false if it cannot be saved: the browser sent no cookie, or the cookie would be too long. */
  save({ error, ...target }: FailedSignIn, { req, res }: Visit): boolean {
    if (req.headers.cookie === undefined) return false;
    const { clock, isDevelopment } = this.#site;
    const { code, status, remedy, retryAt, link } = error;
    const isShown = remedy === 'tell_user' || isDevelopment;
    const text = remedy === 'tell_user' ? error.message : developerText(error);
    const message = isShown ? text.slice(0, MAX_MESSAGE_LENGTH) : '';
    const saved: SavedSignIn = { ...target, code, status, remedy, retryAt, link, message, savedAt: clock.now() };
    return this.#cookie.set(res, JSON.stringify(saved));
  }

  /** @returns the failed sign-in of this browser. */
  read({ req }: Visit): FailedSignIn | undefined {
    const value = this.#cookie.read(req);
    const saved = value === undefined ? undefined : parseStored(value, savedMembers);
    if (saved === undefined || this.#site.clock.now() - saved.savedAt > LIFETIME_SECONDS * 1000) return undefined;
    const { mode, returnTo, isUnread } = saved;
    return { error: new ClinicianError(saved.message, saved), mode, returnTo, isUnread };
  }

  /**
   * @returns, once, a failed sign-in of Passport, because a `failureRedirect` to another sign-in would loop. A page of the site starts
   * that sign-in by a click, unless such a page has repeated the callback: see `repeatFromOwnPage()`.
   */
  takeUnread(visit: Visit): FailedSignIn | undefined {
    const failed = this.read(visit);
    if (!failed?.isUnread || (visit.isFromOwnPage && !hasStrictCookie(visit.req))) return undefined;
    this.clear(visit);
    return failed;
  }

  /** Removes it: a user has signed in or out in this browser since. */
  clear({ req, res }: Visit): void {
    this.#cookie.clear(req, res);
  }
}
