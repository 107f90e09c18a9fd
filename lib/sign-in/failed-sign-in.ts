import type { ServerResponse } from 'node:http';
import type { Cookies } from '../cookies.js';
import { ClinicianError, type Remedy } from '../errors.js';
import type { SiteRequest } from '../session/types.js';
import type { SignInMode } from './sign-in-mode.js';

const LIFETIME_SECONDS = 10 * 60;
const LONGEST_MESSAGE = 600;

/** How a sign-in failed, for the page that says so at an address without the code that came with it (RFC 9700 section 4.2.4). @internal */
export interface FailedSignIn {
  error: ClinicianError;
  returnTo: string;
  way: SignInMode;
}

/** @internal */
export interface FailedSignIns {
  /** Leaves it with the browser. @returns false where that cannot be: the browser keeps no cookies, or it is too much. */
  keep(req: SiteRequest, res: ServerResponse, failed: FailedSignIn): boolean;
  /** What was left with this browser, also when the page is loaded anew. */
  read(req: SiteRequest): FailedSignIn | undefined;
  /** Takes it from this browser: somebody has signed in there since, or signed out, and it concerns nobody any more. */
  drop(req: SiteRequest, res: ServerResponse): void;
}

export function createFailedSignIns(cookies: Cookies): FailedSignIns {
  const cookie = cookies.sealed('failed', LIFETIME_SECONDS);

  return {
    keep(req, res, { error: { code, status, remedy, message }, returnTo, way }) {
      if (req.headers.cookie === undefined) return false;
      const failed = { code, status, remedy, message: message.slice(0, LONGEST_MESSAGE), returnTo, way };
      return cookie.set(res, JSON.stringify(failed));
    },

    read(req) {
      const value = cookie.read(req);
      if (value === undefined) return undefined;
      const { message, returnTo, way, ...details } = JSON.parse(value) as {
        code: string;
        status: number;
        remedy: Remedy;
        message: string;
        returnTo: string;
        way: SignInMode;
      };
      return { error: new ClinicianError(message, details), returnTo, way };
    },

    drop: cookie.clear,
  };
}
