import type { ServerResponse } from 'node:http';
import { denied } from '../errors/denials.js';
import type { LoginSession } from '../session/login-session.js';
import type { Logins } from '../session/logins.js';
import type { SessionRequest } from '../session/site-session.js';
import { isSameOrigin } from '../sign-in/same-origin.js';
import type { CSRFProtection } from './csrf.js';
import type { RequestState } from './middleware.js';
import { sendJSON } from './responses.js';

/** How long the result of a check is used, as by the guards, in milliseconds. */
const RECHECK_AFTER_MS = 5 * 60 * 1000;

interface SessionStateParts {
  origin: string;
  loginSession: LoginSession;
  logins: Pick<Logins, 'isActive' | 'verification'>;
  requestState: Pick<RequestState, 'of'>;
  csrf: Pick<CSRFProtection, 'token'>;
}

/** Returns to the scripts of a single-page application who is signed in. @internal */
export class SessionState {
  readonly #parts: SessionStateParts;

  constructor(parts: SessionStateParts) {
    this.#parts = parts;
  }

  /** Responds with the state and a CSRF token. Throws a {@link DeniedError} `cross_site_request` for a request of another site. */
  async respond(req: SessionRequest, res: ServerResponse): Promise<void> {
    const { origin, loginSession, logins, requestState, csrf } = this.#parts;
    // A page of the same origin sends no Origin with a GET.
    const isSame = isSameOrigin(req, origin) ?? req.headers.origin === undefined;
    if (!isSame) throw denied('cross_site_request');
    const login = loginSession.read(req);
    if (login && !(await logins.isActive(login, RECHECK_AFTER_MS))) await loginSession.clear(req);
    // If the profile cannot be read, the state has what was last read.
    else if (login) await Promise.resolve(logins.verification(login, RECHECK_AFTER_MS)).catch(() => undefined);
    sendJSON(res, { ...requestState.of(req), csrfToken: csrf.token(req) });
  }
}
