import type { ServerResponse } from 'node:http';
import { parseCookie, stringifySetCookie } from 'cookie';
import type { RequestHandler } from 'express';
import { type AnswerLinks, pathToComeBackTo, redirect } from './answers.js';
import type { SiteRequest } from './types.js';
import { wantsHTML } from './wants-html.js';

const PAUSE_SECONDS = 10 * 60;

/** Signs people in who are signed in at the service, without a question; asks each browser once in ten minutes. @internal */
export interface SilentSignIn {
  middleware: RequestHandler;
  /** Leaves this browser alone for a while: it was asked just now, or the person has just signed out. */
  pause(res: ServerResponse): void;
}

export function createSilentSignIn({ secure, links }: { secure: boolean; links: AnswerLinks }): SilentSignIn {
  const name = secure ? '__Host-clinician-silent' : 'clinician-silent';

  function pause(res: ServerResponse): void {
    const maxAge = PAUSE_SECONDS;
    res.appendHeader(
      'Set-Cookie',
      stringifySetCookie({ name, value: 'asked', maxAge, path: '/', httpOnly: true, sameSite: 'lax', secure }),
    );
  }

  /** Not in a frame, not for a script, and only where it can come back to the same address. */
  function mayAsk(req: SiteRequest): boolean {
    const dest = req.headers['sec-fetch-dest'];
    return req.method === 'GET' && wantsHTML(req) && (dest === undefined || dest === 'document') && links.canLogin;
  }

  return {
    pause,
    middleware(req, res, next) {
      const request = req as SiteRequest;
      const asked = parseCookie(req.headers.cookie ?? '')[name] !== undefined;
      if (asked || request.session?.clinician || !mayAsk(request)) return next();
      // The cookie before the question: a browser that comes back without an answer is not asked again.
      pause(res);
      redirect(request, res, `${links.login(pathToComeBackTo(request))}&prompt=none`);
    },
  };
}
