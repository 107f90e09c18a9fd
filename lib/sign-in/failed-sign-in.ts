import type { ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import { ClinicianError, type Remedy } from '../errors.js';
import type { SiteRequest } from '../session/types.js';
import type { Sealer } from '../token-vault/sealer.js';
import type { SignInMode } from './sign-in-mode.js';

const LIFETIME_SECONDS = 10 * 60;
const SEALED_COOKIE_LIMIT = 4000;
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

export function createFailedSignIns({ sealer, secure }: { sealer: Sealer; secure: boolean }): FailedSignIns {
  const name = secure ? '__Host-clinician-failed' : 'clinician-failed';

  function setCookie(res: ServerResponse, value: string, maxAge: number): void {
    const cookie = stringifySetCookie({ name, value, maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure });
    res.appendHeader('Set-Cookie', cookie);
  }

  return {
    keep(req, res, { error: { code, status, remedy, message }, returnTo, way }) {
      if (req.headers.cookie === undefined) return false;
      const kept = { code, status, remedy, message: message.slice(0, LONGEST_MESSAGE), returnTo, way };
      const value = sealer.seal(JSON.stringify(kept), name);
      if (value.length > SEALED_COOKIE_LIMIT) return false;
      setCookie(res, value, LIFETIME_SECONDS);
      return true;
    },

    read(req) {
      const sealed = parseCookie(req.headers.cookie ?? '')[name];
      const opened = sealed === undefined ? undefined : sealer.open(sealed, name);
      if (!opened) return undefined;
      const { message, returnTo, way, ...details } = JSON.parse(opened.plain) as {
        code: string;
        status: number;
        remedy: Remedy;
        message: string;
        returnTo: string;
        way: SignInMode;
      };
      return { error: new ClinicianError(message, details), returnTo, way };
    },

    drop(req, res) {
      if (parseCookie(req.headers.cookie ?? '')[name] !== undefined) setCookie(res, '', 0);
    },
  };
}
