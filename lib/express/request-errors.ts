import type { ServerResponse } from 'node:http';
import type { Clock } from '../clock.js';
import { type ClinicianError, SignInRequiredError } from '../errors.js';
import type { Events } from '../events.js';
import type { Logins, SessionLogin } from '../session/logins.js';
import type { SessionLoss } from '../session/session-loss.js';
import type { SessionRequest } from '../session/site-session.js';
import { isFromOtherSite } from '../sign-in/request-source.js';
import { asClinicianError, isOperatorError, type PageLinks, sendError, setRetryAfter, wantsHTML } from './responses.js';

/** A login that is refused within this time after its sign-in, in milliseconds, is not redirected to another sign-in. */
const RECENT_SIGN_IN_MS = 10_000;

export function signInRequired(): SignInRequiredError {
  return new SignInRequiredError('sign_in_required', 'Sign in as a clinician to continue.');
}

/** Holds a request, its response and `next()`. @internal */
interface RequestExchange {
  req: SessionRequest;
  res: ServerResponse;
  next(error: unknown): void;
}

/** Responds to requests that a guard refuses, or whose route fails. @internal */
export interface RequestErrors {
  /** Reports an error to the operator, who does not see the user's page. @returns it as an error of this package. */
  report(caught: unknown): ClinicianError;
  /**
   * @returns the error for a signed-out user. A navigation is redirected to the sign-in, unless the user has just signed in and
   * the session was lost.
   */
  signedOutError(req: SessionRequest, res: ServerResponse): ClinicianError | Promise<ClinicianError>;
  /**
   * Sends an error. A navigation without a sufficient login is redirected to the sign-in; others get a page, scripts a problem
   * document. A login that is refused right after its sign-in gets a page: another redirect to the sign-in would loop.
   * @param login the login that is refused
   * @param query what the sign-in must request, as the end of a query
   */
  send(exchange: RequestExchange, error: ClinicianError, login: SessionLogin | undefined, query?: string): void;
  /** Sends an error as {@link send} does, and never redirects. */
  sendPage(exchange: RequestExchange, error: ClinicianError): void;
}

export function createRequestErrors(options: {
  origin: string;
  links: PageLinks;
  logins: Pick<Logins, 'hasEnded'>;
  events: Events;
  sessionLoss: SessionLoss;
  clock: Clock;
}): RequestErrors {
  const { origin, links, logins, events, sessionLoss, clock } = options;

  /** Returns true where a redirect to the sign-in would come back: right after a sign-in, or where the login route keeps the user. */
  function wouldLoop(req: SessionRequest, login: SessionLogin, query: string): boolean {
    const isKept = query === '' && isFromOtherSite(req, origin) && !logins.hasEnded(login);
    return isKept || clock.now() - login.since < RECENT_SIGN_IN_MS;
  }

  function report(caught: unknown): ClinicianError {
    const error = asClinicianError(caught);
    if (isOperatorError(error)) {
      events.emit('request_failed', { error });
      events.warn(error);
    }
    return error;
  }

  function send(exchange: RequestExchange, error: ClinicianError, canLogin: boolean, query = ''): void {
    setRetryAfter(exchange.res, error, clock);
    const login = (returnTo: string) => links.login(returnTo) + (links.canLogin ? query : '');
    sendError(exchange, error, { ...links, canLogin, login });
  }

  return {
    report,

    signedOutError(req, res) {
      const loss = wantsHTML(req) ? sessionLoss.detect(req, res) : undefined;
      return loss?.then((notSaved) => (notSaved ? report(notSaved) : signInRequired())) ?? signInRequired();
    },

    send(exchange, error, login, query = '') {
      const canLogin = links.canLogin && !(login && wouldLoop(exchange.req, login, query));
      send(exchange, error, canLogin, query);
    },

    sendPage: (exchange, error) => send(exchange, error, false),
  };
}
