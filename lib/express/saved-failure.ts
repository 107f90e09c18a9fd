import type { ServerResponse } from 'node:http';
import type { Clock } from '../async/clock.js';
import { ClinicianError, type ErrorDetails, summarizeError } from '../errors/errors.js';
import type { Cookies, SealedCookie } from '../sealing/cookies.js';
import type { SessionRequest } from '../session/site-session.js';
import type { SignInTarget } from '../sign-in/sign-in.js';

const LIFETIME_SECONDS = 10 * 60;
/** The page shows 300 characters, and marks a longer text. In development, it has a part for developers. */
const MAX_MESSAGE_LENGTH = 310;
const MAX_DEVELOPER_MESSAGE_LENGTH = 1000;
/** The parameter of a link to the login route that repeats a failed sign-in: its {@link FailedSignIn.retryID}. @internal */
export const RETRY = 'retry';

/** A sign-in that has failed, and where its result is shown. @internal */
export interface FailedSignIn extends SignInTarget {
  error: ClinicianError;
  /** Names this failure among those of the browser. Present where it has data of the site, which another sign-in receives. */
  retryID?: string;
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

  /** @returns false where it cannot be saved: the browser sent no cookie, or the cookies would be too long. */
  save({ error, mode, returnTo, state }: FailedSignIn, req: SessionRequest, res: ServerResponse): boolean {
    if (req.headers.cookie === undefined) return false;
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
      savedAt: this.#clock.now(),
    };
    if (this.#isDevelopment && cause !== undefined) saved.cause = { message: summarizeError(cause).message };
    // Without the data of the site, and then without returnTo, where other attempts in progress need the room.
    return this.#cookies.setFirst(this.#cookie, req, res, [{ ...saved, state }, saved, { ...saved, returnTo: '/' }]);
  }

  /** @returns the failed sign-in of this browser. */
  read(req: SessionRequest): FailedSignIn | undefined {
    const value = this.#cookie.read(req);
    if (value === undefined) return undefined;
    const { message, mode, returnTo, state, savedAt, ...details } = JSON.parse(value) as SavedSignIn;
    if (this.#clock.now() - savedAt > LIFETIME_SECONDS * 1000) return undefined;
    const failed = { error: new ClinicianError(message, details), mode, returnTo };
    return state === undefined ? failed : { ...failed, state, retryID: String(savedAt) };
  }

  /** @returns the data of the site that the failed sign-in had, for one that repeats it. @param query of the link to the login route */
  stateFor(req: SessionRequest, query: URLSearchParams): unknown {
    const id = query.get(RETRY);
    const failed = id === null ? undefined : this.read(req);
    return failed?.retryID === id ? failed?.state : undefined;
  }

  /** Removes it: a user has signed in or out in this browser since. */
  clear(req: SessionRequest, res: ServerResponse): void {
    this.#cookie.clear(req, res);
  }
}
