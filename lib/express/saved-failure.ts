import type { ServerResponse } from 'node:http';
import type { Clock } from '../async/clock.js';
import { ClinicianError, type ErrorDetails } from '../errors/errors.js';
import { developerText } from '../html/error-pages.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import { type MemberTypes, parseStored } from '../sealing/stored-data.js';
import { hasStrictCookie, type SessionRequest } from '../session/site-session.js';
import { isFromOwnPage } from '../sign-in/same-origin.js';
import type { SignInTarget } from '../sign-in/sign-in.js';

const LIFETIME_SECONDS = 10 * 60;
/** The page of a denial shows 300 characters, and marks a longer text. The part for developers has the whole message. */
const MAX_MESSAGE_LENGTH = 500;

/** A sign-in that has failed. @internal */
export interface FailedSignIn extends SignInTarget {
  error: ClinicianError;
  /** True until a page of the site has read it. */
  isUnread?: boolean | undefined;
}

/** The contents of the cookie. */
interface SavedSignIn extends SignInTarget, Pick<ErrorDetails, 'code' | 'status' | 'remedy' | 'retryAt' | 'link'> {
  /** Only what a page shows: the text of a denial; in development, also of other errors. */
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

/**
 * Saves a failed sign-in in a sealed cookie, for the page that reports it at a URL without the authorization response (RFC 9700
 * section 4.2.4). @internal
 */
export class SavedFailure {
  readonly #cookie: Cookie;
  readonly #clock: Clock;
  readonly #isDevelopment: boolean;

  constructor(cookies: Cookies, clock: Clock, isDevelopment: boolean) {
    this.#clock = clock;
    this.#isDevelopment = isDevelopment;
    this.#cookie = cookies.sealed('failed', LIFETIME_SECONDS);
  }

  /** @returns false if it cannot be saved: the browser sent no cookie, or the cookie would be too long. */
  save({ error, mode, returnTo, isUnread }: FailedSignIn, req: SessionRequest, res: ServerResponse): boolean {
    if (req.headers.cookie === undefined) return false;
    const { code, status, remedy, retryAt, link } = error;
    const message = this.#textOf(error).slice(0, MAX_MESSAGE_LENGTH);
    const saved: SavedSignIn = {
      code,
      status,
      remedy,
      retryAt,
      link,
      message,
      mode,
      returnTo,
      isUnread,
      savedAt: this.#clock.now(),
    };
    return this.#cookie.set(res, JSON.stringify(saved));
  }

  /** @returns the failed sign-in of this browser. */
  read(req: SessionRequest): FailedSignIn | undefined {
    const value = this.#cookie.read(req);
    if (value === undefined) return undefined;
    const saved = parseStored(value, savedMembers);
    if (saved === undefined) return undefined;
    const { message, mode, returnTo, isUnread, savedAt, ...details } = saved;
    if (this.#clock.now() - savedAt > LIFETIME_SECONDS * 1000) return undefined;
    return { error: new ClinicianError(message, details), mode, returnTo, isUnread };
  }

  /**
   * @returns, once, a failed sign-in of Passport, because a `failureRedirect` to another sign-in would loop. A page of the site starts
   * that sign-in by a click, unless such a page has repeated the callback: see `repeatFromOwnPage()`.
   */
  takeUnread(req: SessionRequest, res: ServerResponse, origin: string): FailedSignIn | undefined {
    const failed = this.read(req);
    if (!failed?.isUnread || (isFromOwnPage(req, origin) && !hasStrictCookie(req))) return undefined;
    this.clear(req, res);
    return failed;
  }

  /** @returns what a page shows of the message. */
  #textOf(error: ClinicianError): string {
    if (error.remedy === 'tell_user') return error.message;
    return this.#isDevelopment ? developerText(error) : '';
  }

  /** Removes it: a user has signed in or out in this browser since. */
  clear(req: SessionRequest, res: ServerResponse): void {
    this.#cookie.clear(req, res);
  }
}
