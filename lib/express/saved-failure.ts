import type { ServerResponse } from 'node:http';
import { ClinicianError, type ErrorDetails, summarizeError } from '../errors/errors.js';
import type { Cookies, SealedCookie } from '../sealing/cookies.js';
import type { SessionRequest } from '../session/site-session.js';
import type { SignInTarget } from '../sign-in/sign-in.js';

const LIFETIME_SECONDS = 10 * 60;
/** The page shows 300 characters, and marks a longer text. Outside of production, it has a part for developers. */
const MAX_MESSAGE_LENGTH = 310;
const MAX_DEVELOPER_MESSAGE_LENGTH = 1000;

/** A sign-in that has failed, and where its result is shown. @internal */
export interface FailedSignIn extends SignInTarget {
  error: ClinicianError;
}

/** The contents of the cookie. */
type SavedSignIn = SignInTarget &
  Pick<ErrorDetails, 'code' | 'status' | 'remedy' | 'retryAt' | 'link'> & {
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
  readonly #isDevelopment: boolean;

  constructor(cookies: Cookies, isDevelopment: boolean) {
    this.#cookies = cookies;
    this.#isDevelopment = isDevelopment;
    this.#cookie = cookies.sealed('failed', LIFETIME_SECONDS);
  }

  /** @returns false where it cannot be saved: the browser sent no cookie, or the cookies would be too long. */
  save({ error, mode, returnTo }: FailedSignIn, req: SessionRequest, res: ServerResponse): boolean {
    if (req.headers.cookie === undefined) return false;
    const { code, status, remedy, retryAt, link, cause } = error;
    const message = error.message.slice(0, this.#isDevelopment ? MAX_DEVELOPER_MESSAGE_LENGTH : MAX_MESSAGE_LENGTH);
    const saved: SavedSignIn = { code, status, remedy, retryAt, link, message, mode, returnTo };
    if (this.#isDevelopment && cause !== undefined) saved.cause = { message: summarizeError(cause).message };
    // Without returnTo where other attempts in progress need the room.
    return this.#cookies.setFirst(this.#cookie, req, res, [saved, { ...saved, returnTo: '/' }]);
  }

  /** @returns the failed sign-in of this browser. */
  read(req: SessionRequest): FailedSignIn | undefined {
    const value = this.#cookie.read(req);
    if (value === undefined) return undefined;
    const { message, mode, returnTo, ...details } = JSON.parse(value) as SavedSignIn;
    return { error: new ClinicianError(message, details), mode, returnTo };
  }

  /** Removes it: a user has signed in or out in this browser since. */
  clear(req: SessionRequest, res: ServerResponse): void {
    this.#cookie.clear(req, res);
  }
}
