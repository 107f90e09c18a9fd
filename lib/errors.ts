/**
 * What can be done about an error, and so the family it belongs to:
 * - `sign_in`: send the person to sign in again;
 * - `tell_user`: the person, or somebody for them, said no: show it and offer a way on;
 * - `retry`: the service or the network failed; the same act may work in a moment;
 * - `investigate`: the service's answer was wrong or forged, nothing a retry mends;
 * - `fix_code`: the site's configuration or code is wrong.
 */
export type Remedy = 'sign_in' | 'tell_user' | 'retry' | 'investigate' | 'fix_code';

/** What a {@link ClinicianError} is made of, besides its message. */
export interface ErrorDetails {
  /** Stable, machine-readable: never changes for the same fault within a major version. */
  code: string;
  /** The HTTP status that a site should answer with. */
  status: number;
  remedy: Remedy;
  cause?: unknown;
}

const BRAND = Symbol.for('passport-clinician.error');

/** The base of every error of this package. Told apart by `code`, never by `instanceof`: two copies can meet in one process. */
export class ClinicianError extends Error {
  readonly code: string;
  readonly status: number;
  readonly remedy: Remedy;
  /** True when the same act may succeed in a moment without anybody changing anything. */
  readonly retryable: boolean;

  constructor(message: string, details: ErrorDetails) {
    super(message);
    this.name = new.target.name;
    this.code = details.code;
    this.status = details.status;
    this.remedy = details.remedy;
    this.retryable = details.remedy === 'retry';
    brandError(this);
    // Not enumerable: an error of another library may carry a whole request, and loggers walk what they can see.
    if (details.cause !== undefined) Object.defineProperty(this, 'cause', { value: details.cause, configurable: true });
  }

  toJSON(): { name: string; code: string; message: string; retryable: boolean } {
    return { name: this.name, code: this.code, message: this.message, retryable: this.retryable };
  }
}

/** The login is over or never was: send the person to sign in. Remedy `sign_in`. */
export class SignInRequiredError extends ClinicianError {
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { code, status: 401, remedy: 'sign_in', cause });
  }
}

/** A login attempt that cannot be finished as it stands, by nobody's fault: start a new one. Remedy `sign_in`. */
export class TransactionError extends ClinicianError {
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { code, status: 403, remedy: 'sign_in', cause });
  }
}

/** The person, the service or the site refused on purpose. Remedy `tell_user`. */
export class DeniedError extends ClinicianError {
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { code, status: 403, remedy: 'tell_user', cause });
  }
}

/** The service or the network did not answer as it should, for now. Remedy `retry`. */
export class ServiceUnavailableError extends ClinicianError {
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { code, status: 503, remedy: 'retry', cause });
  }
}

/** The service's answer broke a rule: forged, malformed or meant for somebody else. Nobody is signed in by it. Remedy `investigate`. */
export class ProtocolError extends ClinicianError {
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { code, status: 502, remedy: 'investigate', cause });
  }
}

/** An option or a call is wrong: the message names it and the fix. Remedy `fix_code`. */
export class ConfigurationError extends ClinicianError {
  constructor(code: string, message: string, cause?: unknown) {
    super(message, { code, status: 500, remedy: 'fix_code', cause });
  }
}

/** Marks an error of another class (passport-oauth2's, say) as one of this package's. @internal */
export function brandError(error: Error): void {
  Object.defineProperty(error, BRAND, { value: true });
}

/** @returns true for every error of this package, also one made by another copy or build of it in the same process. */
export function isClinicianError(error: unknown): error is ClinicianError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}
