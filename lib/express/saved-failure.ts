import type { ServerResponse } from 'node:http';
import type { Clock } from '../async/clock.js';
import { ClinicianError, type ErrorDetails, summarizeError } from '../errors/errors.js';
import type { Cookies, SealedCookie } from '../sealing/cookies.js';
import type { SessionRequest } from '../session/site-session.js';
import type { LoginOptions } from '../sign-in/login-request.js';
import type { SignInTarget } from '../sign-in/sign-in.js';

const LIFETIME_SECONDS = 10 * 60;
/** The page shows 300 characters, and marks a longer text. In development, it has a part for developers. */
const MAX_MESSAGE_LENGTH = 310;
const MAX_DEVELOPER_MESSAGE_LENGTH = 1000;
/** The parameter of a link to the login route that repeats a failed sign-in: its {@link FailedSignIn.retryID}. @internal */
export const RETRY = 'retry';

/** Where the failure of a sign-in is shown. @internal */
export interface FailureTarget extends SignInTarget {
  /** Names this failure among those of the browser. Present if it has options for a sign-in that repeats it. */
  retryID?: string;
  /** The options of the link that could not start the sign-in, as the end of a query. @default none */
  query?: string;
}

/** A sign-in that has failed. @internal */
export interface FailedSignIn extends FailureTarget {
  error: ClinicianError;
}

/** The contents of the cookie. */
type SavedSignIn = SignInTarget & { savedAt: number } & Pick<
    ErrorDetails,
    'code' | 'status' | 'remedy' | 'retryAt' | 'link' | 'scope'
  > & {
    message: string;
    cause?: { message: string };
  };

/**
 * Saves a failed sign-in in a sealed cookie, for the page that reports it at a URL without the authorization response (RFC 9700
 * section 4.2.4). @internal
 */
export class SavedFailure {
  readonly #cookies: Cookies;
  readonly #cookie: SealedCookie;
  readonly #clock: Clock;
  readonly #isDevelopment: boolean;

  constructor(cookies: Cookies, clock: Clock, isDevelopment: boolean) {
    this.#cookies = cookies;
    this.#clock = clock;
    this.#isDevelopment = isDevelopment;
    this.#cookie = cookies.sealed('failed', LIFETIME_SECONDS);
  }

  /**
   * @returns its {@link FailedSignIn.retryID}; undefined if it cannot be saved: the browser sent no cookie, or the cookies would be
   * too long
   */
  save(
    { error, mode, returnTo, state, options }: FailedSignIn,
    req: SessionRequest,
    res: ServerResponse,
  ): string | undefined {
    if (req.headers.cookie === undefined) return undefined;
    const { code, status, remedy, retryAt, link, scope, cause } = error;
    const message = error.message.slice(0, this.#isDevelopment ? MAX_DEVELOPER_MESSAGE_LENGTH : MAX_MESSAGE_LENGTH);
    const saved: SavedSignIn = {
      code,
      status,
      remedy,
      retryAt,
      link,
      scope,
      message,
      mode,
      returnTo,
      options,
      savedAt: this.#clock.now(),
    };
    if (this.#isDevelopment && cause !== undefined) saved.cause = { message: summarizeError(cause).message };
    // Without the data of the site, and then without returnTo, if other attempts in progress need the room.
    const values = [{ ...saved, state }, saved, { ...saved, returnTo: '/' }];
    return this.#cookies.setFirst(this.#cookie, req, res, values) ? String(saved.savedAt) : undefined;
  }

  /** @returns the failed sign-in of this browser. */
  read(req: SessionRequest): FailedSignIn | undefined {
    const value = this.#cookie.read(req);
    if (value === undefined) return undefined;
    const { message, mode, returnTo, state, options, savedAt, ...details } = JSON.parse(value) as SavedSignIn;
    if (this.#clock.now() - savedAt > LIFETIME_SECONDS * 1000) return undefined;
    const failed = { error: new ClinicianError(message, details), mode, returnTo, state, options };
    return isRepeatable(failed) ? { ...failed, retryID: String(savedAt) } : failed;
  }

  /** @returns the options that the failed sign-in had, for one that repeats it. @param query of the link to the login route */
  optionsFor(req: SessionRequest, query: URLSearchParams): LoginOptions {
    const id = query.get(RETRY);
    const failed = id === null ? undefined : this.read(req);
    return failed?.retryID === id ? { ...failed?.options, state: failed?.state } : {};
  }

  /** Removes it: a user has signed in or out in this browser since. */
  clear(req: SessionRequest, res: ServerResponse): void {
    this.#cookie.clear(req, res);
  }
}

/** @returns true for a sign-in with options that a link to the login route cannot have. */
function isRepeatable({ state, options }: SignInTarget): boolean {
  return state !== undefined || options !== undefined;
}
