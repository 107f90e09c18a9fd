/**
 * Describes the clinician's verification:
 * - `verified`: the profile says exactly `true`;
 * - `pending`: the profile says anything else. Most clinicians are verified at once, some after up to three days;
 * - `unknown`: scope `basic` was not granted, or no profile has been read yet.
 */
export type Verification = 'verified' | 'pending' | 'unknown';

/** Holds the identity of the user who signed in, from the service. */
export interface ClinicianIdentity {
  /** The service's id of the user: the ID Token's `sub` in the `openid` flow, the profile's `id` in the `profile` flow. */
  id: string;
  /** The issuer: the authorization server that the user signed in with. */
  issuer: string;
  /** The profile's integer id as a string, where a profile was read (it differs from `id` in the `openid` flow). */
  serviceID?: string;
}

/** Holds the part of a login that the site's session contains: no token, no profile. @internal */
export interface SessionLogin {
  grantID: string;
  /** The site's own id of the user. */
  userKey: string;
  /** When the user signed in, in milliseconds since the Unix epoch. */
  since: number;
  identity: ClinicianIdentity;
  scope: readonly string[];
  /** The service's `session_state`, for the session check. Not a secret: any page of the site may contain it. */
  sessionState?: string;
  /** The site's own user. Absent where Passport stores the user. */
  user?: unknown;
  /** The user that Passport had signed in, as JSON, where Passport stores the user. */
  passportUser?: string;
}
