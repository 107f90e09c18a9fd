import type { ServerResponse } from 'node:http';
import type { Cookies } from '../cookies.js';
import { ClinicianError, type ErrorDetails } from '../errors.js';
import type { SiteRequest } from '../session/site-request.js';
import type { SignInMode } from './login-request.js';

const LIFETIME_SECONDS = 10 * 60;
const MAX_MESSAGE_LENGTH = 600;

/**
 * Holds a failed sign-in, for the page that reports it at a URL without the authorization response (RFC 9700 section 4.2.4).
 * @internal
 */
export interface FailedSignIn {
  error: ClinicianError;
  returnTo: string;
  mode: SignInMode;
}

/** Saves a failed sign-in in a sealed cookie of the browser. @internal */
export interface FailedSignIns {
  /** @returns false where it cannot be saved: the browser sent no cookie, or the message is too long. */
  save(req: SiteRequest, res: ServerResponse, failed: FailedSignIn): boolean;
  /** @returns the saved sign-in, also when the page is reloaded. */
  read(req: SiteRequest): FailedSignIn | undefined;
  /** Removes it: a user has signed in or out in this browser since. */
  clear(req: SiteRequest, res: ServerResponse): void;
}

type Saved = Pick<ErrorDetails, 'code' | 'status' | 'remedy'> & { message: string; returnTo: string; mode: SignInMode };

export function createFailedSignIns(cookies: Cookies): FailedSignIns {
  const cookie = cookies.sealed('failed', LIFETIME_SECONDS);

  return {
    save(req, res, { error, returnTo, mode }) {
      if (req.headers.cookie === undefined) return false;
      const { code, status, remedy } = error;
      const message = error.message.slice(0, MAX_MESSAGE_LENGTH);
      return cookie.set(res, JSON.stringify({ code, status, remedy, message, returnTo, mode } satisfies Saved));
    },
    read(req) {
      const value = cookie.read(req);
      if (value === undefined) return undefined;
      const { message, returnTo, mode, ...details } = JSON.parse(value) as Saved;
      return { error: new ClinicianError(message, details), returnTo, mode };
    },
    clear: cookie.clear,
  };
}
