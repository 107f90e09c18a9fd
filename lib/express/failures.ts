import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';
import type { Cookies } from '../cookies.js';
import { ClinicianError, type ErrorDetails } from '../errors.js';
import type { Events } from '../events.js';
import { errorPage, signedInAlreadyPage, signInErrorPage } from '../html/error-pages.js';
import type { LoginSession } from '../session/login-session.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { isAuthorizationResponse } from '../sign-in/attempts.js';
import type { SignInMode } from '../sign-in/login-request.js';
import type { SignInTarget } from '../sign-in/sign-in.js';
import type { ExpressRequest, ExpressResponse, Next } from './http-types.js';
import {
  asClinicianError,
  isOperatorError,
  type PageLinks,
  redirect,
  sendPage,
  sendProblem,
  setRetryAfter,
  wantsHTML,
} from './responses.js';

const LIFETIME_SECONDS = 10 * 60;
/** The page shows 300 characters, and marks a longer text. */
const MAX_MESSAGE_LENGTH = 310;

interface FailedSignIn extends SignInTarget {
  error: ClinicianError;
}

/** The contents of the cookie of a failed sign-in. */
type SavedSignIn = SignInTarget & Pick<ErrorDetails, 'code' | 'status' | 'remedy' | 'retryAt'> & { message: string };

/**
 * Responds to an error of this package's own routes, or passes it to `next()`. Without a response, this package sends its own page
 * or problem document. Return a promise where the response is sent later; `res.render()` and `res.sendFile()` need none.
 */
export type ErrorHandler = {
  // The type of a method: the compiler accepts parameters with the types of Express.
  respond(error: ClinicianError, req: ExpressRequest, res: ExpressResponse, next: Next): void | Promise<void>;
}['respond'];

/** Holds a request, its response and `next()`. @internal */
export interface Exchange {
  req: SessionRequest;
  res: ServerResponse;
  next: Next;
}

/** Sends the page of a failed request. */
type ShowPage = (error: ClinicianError) => void;

/** Responds to errors of the drop-in's routes. @internal */
export interface Failures {
  /** Responds to an error of a sign-in. */
  failSignIn(caught: unknown, target: SignInTarget, exchange: Exchange): Promise<void>;
  /** Responds to an error of any other route. */
  fail(caught: unknown, exchange: Exchange): Promise<void>;
  /** Returns true for a request whose error this package's routes have reported, and `onError` may have passed on. */
  hasFailed(req: SessionRequest): boolean;
  /** Responds to an error that was passed on. `onError` is not called: a sign-in through Passport does not have it. */
  showPassedOn(error: ClinicianError, exchange: Exchange): void;
  /** Shows the failed sign-in that is saved in this browser. @returns false where there is none. */
  showSaved(req: SessionRequest, res: ServerResponse): boolean;
  /** Removes the saved sign-in: a user has signed in or out in this browser since. */
  clearSaved(req: SessionRequest, res: ServerResponse): void;
}

/**
 * Calls `onError`. @returns true where it has responded, has called `next()`, or will respond: Express renders views and reads
 * files asynchronously.
 */
async function isHandledBy(onError: ErrorHandler, error: ClinicianError, exchange: Exchange): Promise<boolean> {
  const req = exchange.req as ExpressRequest;
  const res = exchange.res as ExpressResponse;
  let isHandled = false;
  const handled = () => {
    isHandled = true;
  };
  for (const name of ['render', 'sendFile'] as const) {
    const original = res[name] as ((...args: unknown[]) => void) | undefined;
    if (!original) continue;
    Object.assign(res, {
      [name](...args: unknown[]) {
        handled();
        original.apply(res, args);
      },
    });
  }
  res.once('pipe', handled);
  await onError(error, req, res, (passedOn?: unknown) => {
    handled();
    exchange.next(passedOn);
  });
  return isHandled || res.headersSent;
}

export function createFailures(options: {
  callbackPath: string;
  links: PageLinks;
  events: Events;
  cookies: Cookies;
  loginSession: LoginSession;
  clock: Clock;
  onError: ErrorHandler | undefined;
}): Failures {
  const { callbackPath, links, events, cookies, loginSession, clock, onError } = options;
  const cookie = cookies.sealed('failed', LIFETIME_SECONDS);
  /** The page for the error of each request that has failed: `onError` may pass it on. */
  const pages = new WeakMap<SessionRequest, ShowPage>();

  /**
   * Saves a failed sign-in in a sealed cookie, for the page that reports it at a URL without the authorization response (RFC 9700
   * section 4.2.4). @returns false where it cannot be saved: the browser sent no cookie, or the cookies would be too long.
   */
  function save({ error, mode, returnTo }: FailedSignIn, req: SessionRequest, res: ServerResponse): boolean {
    if (req.headers.cookie === undefined) return false;
    const { code, status, remedy, retryAt } = error;
    const message = error.message.slice(0, MAX_MESSAGE_LENGTH);
    const saved: SavedSignIn = { code, status, remedy, retryAt, message, mode, returnTo };
    // Without returnTo where other attempts in progress need the room.
    return cookies.setFirst(cookie, req, res, [saved, { ...saved, returnTo: '/' }]);
  }

  function readSaved(req: SessionRequest): FailedSignIn | undefined {
    const value = cookie.read(req);
    if (value === undefined) return undefined;
    const { message, mode, returnTo, ...details } = JSON.parse(value) as SavedSignIn;
    return { error: new ClinicianError(message, details), mode, returnTo };
  }

  /** A failed popup sign-in is retried in the popup: the page that opened it waits for the result. */
  function linksFor(mode: SignInMode): PageLinks {
    if (mode !== 'popup' || !links.canLogin) return links;
    return { ...links, login: (returnTo) => `${links.login(returnTo)}&display=popup` };
  }

  function showFailed({ error, returnTo, mode }: FailedSignIn, req: SessionRequest, res: ServerResponse): void {
    const isRepeated = error.code === 'transaction_missing' || error.code === 'state_missing';
    if (isRepeated && loginSession.find(req)) sendPage(res, 200, signedInAlreadyPage(links));
    else sendErrorPage(res, error, signInErrorPage(error, linksFor(mode), returnTo));
  }

  function sendErrorPage(res: ServerResponse, error: ClinicianError, html: string): void {
    setRetryAfter(res, error, clock);
    sendPage(res, error.status, html);
  }

  /** Reports the error, and responds if there is no response yet and `onError` does not respond. */
  async function respond(
    event: 'sign_in_failed' | 'request_failed',
    caught: unknown,
    exchange: Exchange,
    showPage: ShowPage,
  ): Promise<void> {
    const error = asClinicianError(caught);
    events.emit(event, { error });
    // Only the user sees the page: the operator gets a warning, unless the site handles its errors.
    if (!onError && isOperatorError(error)) events.warn(error);
    if (exchange.res.headersSent) return exchange.next(caught);
    pages.set(exchange.req, showPage);
    if (!onError || !(await isHandledBy(onError, error, exchange))) send(error, exchange, showPage);
  }

  function send(error: ClinicianError, { req, res }: Exchange, showPage: ShowPage): void {
    if (wantsHTML(req)) showPage(error);
    else {
      setRetryAfter(res, error, clock);
      sendProblem(res, error);
    }
  }

  function signInPage({ mode, returnTo }: SignInTarget, { req, res }: Exchange): ShowPage {
    return (error) => {
      const failed = { error, mode, returnTo };
      const isResponse = links.pathOf(req) === callbackPath && isAuthorizationResponse(queryOf(req));
      if (isResponse && save(failed, req, res)) redirect(req, res, callbackPath);
      else showFailed(failed, req, res);
    };
  }

  return {
    failSignIn: (caught, target, exchange) => respond('sign_in_failed', caught, exchange, signInPage(target, exchange)),

    fail: (caught, exchange) =>
      respond('request_failed', caught, exchange, (error) =>
        sendErrorPage(exchange.res, error, errorPage(error, links, links.home)),
      ),

    hasFailed: (req) => pages.has(req),

    showPassedOn(error, exchange) {
      send(error, exchange, pages.get(exchange.req) ?? signInPage({ mode: 'page', returnTo: '/' }, exchange));
    },

    showSaved(req, res) {
      const failed = readSaved(req);
      if (failed) showFailed(failed, req, res);
      return failed !== undefined;
    },

    clearSaved: (req, res) => cookie.clear(req, res),
  };
}
