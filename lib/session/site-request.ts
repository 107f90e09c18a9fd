import type { IncomingMessage, ServerResponse } from 'node:http';
import type { SessionLogin } from './session-login.js';

/**
 * Describes a request with the members that Express, express-session and Passport add. Requests of Express 4 and Express 5 have
 * this type.
 */
export interface SiteRequest extends IncomingMessage {
  originalUrl?: string;
  res?: ServerResponse | undefined;
  app?: object;
  session?: SiteSession | undefined;
  sessionID?: string | undefined;
  user?: unknown;
  /** Signs in with Passport. */
  logIn?(user: unknown, done: (error?: unknown) => void): void;
}

/** Describes the part of an express-session session that this package uses. */
export interface SiteSession {
  clinician?: SessionLogin;
  /** The user that Passport stores, as the site serialized it. */
  passport?: { user?: unknown };
  /** The settings of the session's own cookie. */
  cookie?: {
    path?: string | undefined;
    domain?: string | undefined;
    secure?: boolean | 'auto' | undefined;
    httpOnly?: boolean | undefined;
    sameSite?: boolean | string | undefined;
    partitioned?: boolean | undefined;
  };
  regenerate(done: (error?: unknown) => void): void;
  reload(done: (error?: unknown) => void): void;
  save(done: (error?: unknown) => void): void;
  destroy(done: (error?: unknown) => void): void;
}

/** @returns the query as it was sent: a parser of the site may turn repeated parameters into arrays and objects. */
export function queryOf(req: SiteRequest): URLSearchParams {
  const url = req.originalUrl ?? req.url ?? '';
  const start = url.indexOf('?');
  return new URLSearchParams(start < 0 ? '' : url.slice(start));
}
