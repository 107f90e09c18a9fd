import type { FlowName } from '../authorization-server/flows.js';
import type { ClinicianIdentity, SessionLogin, Verification } from '../session/session-login.js';

/** Describes `req.clinician` of a signed-in clinician. */
export interface AuthenticatedState {
  readonly isAuthenticated: true;
  readonly identity: ClinicianIdentity;
  readonly flow: FlowName;
  /** The granted scope. */
  readonly scope: readonly string[];
  /** True only when the profile says exactly `true`, as last read: see `clinician.verification(req)`, which reads it when needed. */
  readonly verified: boolean;
  /** As last read. */
  readonly verification: Verification;
}

/** Describes `req.clinician` of a request without a signed-in clinician. */
export interface UnauthenticatedState {
  readonly isAuthenticated: false;
  readonly identity: undefined;
  readonly flow: FlowName;
  /** Empty. */
  readonly scope: readonly string[];
  readonly verified: false;
  readonly verification: 'unknown';
}

/**
 * Describes `req.clinician`, which `clinicianLogin` sets on every request. Check `isAuthenticated` first: it discriminates the
 * union.
 */
export type ClinicianRequestState = AuthenticatedState | UnauthenticatedState;

declare global {
  namespace Express {
    interface Request {
      /** The signed-in clinician; set by `clinicianLogin`. */
      clinician: ClinicianRequestState;
    }
  }
}

/** @returns the state of a signed-out user: one object for all requests. */
export function unauthenticatedState(flow: FlowName): UnauthenticatedState {
  const scope: readonly string[] = Object.freeze([]);
  return Object.freeze({
    isAuthenticated: false,
    identity: undefined,
    flow,
    scope,
    verified: false,
    verification: 'unknown',
  });
}

/** @returns the state of a login, whose verification is read from memory when it is used. */
export function authenticatedState(
  login: SessionLogin,
  flow: FlowName,
  known: (login: SessionLogin) => Verification,
): AuthenticatedState {
  return {
    isAuthenticated: true,
    identity: login.identity,
    flow,
    scope: login.scope,
    get verified() {
      return known(login) === 'verified';
    },
    get verification() {
      return known(login);
    },
  };
}
