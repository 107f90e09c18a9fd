import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import type { FlowName } from '../authorization-server/flows.js';

/**
 * What is known of the clinician's verification:
 * - `verified`: the profile says exactly `true`;
 * - `pending`: it says anything else; most are verified at once, some wait up to three days;
 * - `unknown`: no profile may be read, because scope `basic` was not granted, or none has been read yet.
 */
export type Verification = 'verified' | 'pending' | 'unknown';

/** Who signed in, as the service names them. */
export interface ClinicianIdentity {
  /** The service's id of the person: the ID Token's `sub` in the `openid` flow, the profile's `id` in the `profile` flow. */
  id: string;
  /** The authorization server that vouched for it. */
  issuer: string;
  /** The profile's integer id as a string, where a profile was read (it differs from `id` in the `openid` flow). */
  serviceID?: string;
}

/** What `clinicianLogin` puts on every request as `req.clinician`. */
export interface ClinicianRequestState {
  readonly isAuthenticated: boolean;
  readonly identity: ClinicianIdentity | undefined;
  readonly flow: FlowName;
  /** The scope granted, empty when nobody is signed in. */
  readonly scope: readonly string[];
  /** As last read from the profile; see `clinician.verification(req)` for one that reads it when needed. */
  readonly verified: Verification;
}

/** Express's own types, for the room above that does not know Express. */
export type ExpressMiddleware = RequestHandler;
export type ExpressRequest = Request;

/** What the site's session holds of a login: no token, no profile. @internal */
export interface SessionLogin {
  grantID: string;
  userKey: string;
  /** When it was made, in milliseconds since the Unix epoch. */
  since: number;
  identity: ClinicianIdentity;
  scope: readonly string[];
  /** The service's word for its own session, for the session check. No secret: any page of the site may know it. */
  sessionState?: string;
  /** Absent where Passport keeps the user. */
  user?: unknown;
  /** Whose login it is for Passport, where it keeps the user. */
  passportUser?: string;
}

/** The part of a Node request that this package reads, with what Express and express-session add. @internal */
export interface SiteRequest extends IncomingMessage {
  originalUrl?: string;
  res?: ServerResponse | undefined;
  app?: object;
  session?: SiteSession | undefined;
  sessionID?: string | undefined;
  user?: unknown;
  clinician?: ClinicianRequestState;
  logIn?: (user: unknown, done: (error?: unknown) => void) => void;
  logOut?: (done: (error?: unknown) => void) => void;
}

/** @internal */
export interface SiteSession {
  clinician?: SessionLogin;
  /** Where Passport keeps the user, as the site serialized them. */
  passport?: { user?: unknown };
  /** express-session's settings for the cookie. */
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

declare global {
  namespace Express {
    interface Request {
      /** Who is signed in as a clinician; set by `clinicianLogin`. */
      clinician: ClinicianRequestState;
    }
  }
}
