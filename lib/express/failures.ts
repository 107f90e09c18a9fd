import type { ServerResponse } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import type { Cookies } from '../cookies.js';
import { ClinicianError, type ErrorDetails } from '../errors.js';
import type { Events } from '../events.js';
import { queryOf, type SiteRequest } from '../session/site-session.js';
import { isAuthorizationResponse } from '../sign-in/login.js';
import type { SignInAttempt, SignInMode } from '../sign-in/login-request.js';
import {
  asClinicianError,
  errorPage,
  isOperatorError,
  type PageLinks,
  pathOf,
  redirect,
  sendPage,
  sendProblem,
  signedInAlreadyPage,
  signInFailedPage,
  wantsHTML,
} from './responses.js';

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

/** Responds instead of this package's own page when a login or logout fails. */
export type ErrorHandler = (
  error: ClinicianError,
  req: Request,
  res: Response,
  next: NextFunction,
) => void | Promise<void>;

/** Holds a request, its response and `next()`. @internal */
export interface Exchange {
  req: Request;
  res: Response;
  next: NextFunction;
}

/** Responds to errors of the drop-in's routes. @internal */
export interface Failures {
  /** Responds to an error of a sign-in. */
  failSignIn(caught: unknown, attempt: SignInAttempt, exchange: Exchange): Promise<void>;
  /** Responds to an error of any other route. */
  fail(caught: unknown, exchange: Exchange): Promise<void>;
  /** Shows the failed sign-in that is saved in this browser. @returns false where there is none. */
  showSaved(req: SiteRequest, res: ServerResponse): boolean;
}

export function createFailures(options: {
  callbackPath: string;
  links: PageLinks;
  events: Events;
  failedSignIns: FailedSignIns;
  onError: ErrorHandler | undefined;
}): Failures {
  const { callbackPath, links, events, failedSignIns, onError } = options;

  /**
   * Returns the links for a page. A failed popup sign-in is retried in the popup: the page that opened it waits for the result.
   */
  function linksFor(mode: SignInMode): PageLinks {
    if (mode !== 'popup' || !links.canLogin) return links;
    return { ...links, login: (returnTo) => `${links.login(returnTo)}&display=popup` };
  }

  function showFailed({ error, returnTo, mode }: FailedSignIn, req: SiteRequest, res: ServerResponse): void {
    const isRepeated = error.code === 'transaction_missing' || error.code === 'state_missing';
    if (isRepeated && req.session?.clinician) sendPage(res, 200, signedInAlreadyPage(links));
    else sendPage(res, error.status, signInFailedPage(error, linksFor(mode), returnTo));
  }

  /** Reports the error. This package responds only if there is no response yet and the site has no `onError`. */
  async function respond(
    event: 'sign_in_failed' | 'request_failed',
    caught: unknown,
    { req, res, next }: Exchange,
    showPage: (error: ClinicianError) => void,
  ): Promise<void> {
    const error = asClinicianError(caught);
    events.emit(event, { code: error.code });
    // Only the user sees the page: the operator gets a warning, unless the site handles its errors.
    if (!onError && isOperatorError(error)) events.warn(error);
    if (res.headersSent) next(caught);
    else if (onError) await onError(error, req, res, next);
    else if (!wantsHTML(req)) sendProblem(res, error);
    else showPage(error);
  }

  return {
    failSignIn: (caught, { mode, returnTo }, exchange) =>
      respond('sign_in_failed', caught, exchange, (error) => {
        const { req, res } = exchange;
        const failed = { error, mode, returnTo };
        // The page is shown at a URL without the authorization response, which can be reloaded.
        const isResponse = pathOf(req) === callbackPath && isAuthorizationResponse(queryOf(req));
        if (isResponse && failedSignIns.save(req, res, failed)) redirect(req, res, callbackPath);
        else showFailed(failed, req, res);
      }),

    fail: (caught, exchange) =>
      respond('request_failed', caught, exchange, (error) =>
        sendPage(exchange.res, error.status, errorPage(error, links, '/')),
      ),

    showSaved(req, res) {
      const failed = failedSignIns.read(req);
      if (failed) showFailed(failed, req, res);
      return failed !== undefined;
    },
  };
}
