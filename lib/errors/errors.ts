import { addressOf, type CodeOf, ERROR_CLASSES, type ErrorCode, type Remedy } from './error-codes.js';
import { safeText } from './safe-text.js';

export type { ErrorCode, Remedy };

/**
 * The code of an OAuth error response from the service, such as `login_required` or `invalid_grant` (RFC 6749 sections
 * 4.1.2.1 and 5.2, OIDC Core section 3.1.2.6). The service may send others, so it is any string.
 */
export type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_client'
  | 'invalid_grant'
  | 'invalid_scope'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'login_required'
  | 'consent_required'
  | 'interaction_required'
  | 'account_selection_required'
  | (string & Record<never, never>);

/** A link that the page of a denial shows: a path of this site, or an https URL. */
export interface DenialLink {
  label: string;
  url: string;
}

/** The properties of a {@link ClinicianError}, in addition to its message. */
export interface ErrorDetails {
  code: ErrorCode | OAuthErrorCode;
  status: number;
  remedy: Remedy;
  /** See {@link ClinicianError.retryAt}. */
  retryAt?: number | undefined;
  /** What the site offers to the user of a denial. */
  link?: DenialLink | undefined;
  /** The scope that was not granted. */
  scope?: string | undefined;
  /** The claim or header parameter of an ID Token that is wrong. */
  claim?: string | undefined;
  /** The option that is wrong, if the page Options has it. */
  option?: string | undefined;
  /** An error of this package as it is; of any other, a summary: see {@link summarizeError}. */
  cause?: unknown;
}

const BRAND = Symbol.for('passport-clinician.error');

/**
 * The base class of every error of this package. Recognize errors with {@link isClinicianError} and `code` instead of
 * `instanceof`, because a process may contain two copies of this package.
 */
export class ClinicianError extends Error {
  // Not from the class, because bundlers rename classes.
  override name = 'ClinicianError';
  /** Stable within a major version: one of this package's codes, which the page Errors lists, or the service's OAuth error. */
  readonly code: ErrorCode | OAuthErrorCode;
  /** The HTTP status for the site's response. */
  readonly status: number;
  /** The same as `status`, under the name that NestJS, Fastify and http-errors use. */
  readonly statusCode: number;
  readonly remedy: Remedy;
  /** True when the same call may succeed later without a change. */
  readonly retryable: boolean;
  /** The earliest time at which a retry may succeed, in milliseconds since the Unix epoch, if it is known. */
  declare readonly retryAt?: number;
  /** The link of `deny(reason, link)`. */
  declare readonly link?: DenialLink;
  /** The scope that was not granted, of `scope_missing`. */
  declare readonly scope?: string;
  /** The claim or header parameter that is wrong, of `id_token_invalid`. */
  declare readonly claim?: string;
  /** Where the documentation explains the error: an address, or a path in the repository that this package was built from. */
  readonly see: string;

  constructor(message: string, details: ErrorDetails) {
    super(message);
    this.code = details.code;
    this.status = details.status;
    this.statusCode = details.status;
    this.remedy = details.remedy;
    this.retryable = details.remedy === 'retry';
    if (details.retryAt !== undefined) this.retryAt = details.retryAt;
    if (details.link !== undefined) this.link = details.link;
    if (details.scope !== undefined) this.scope = details.scope;
    if (details.claim !== undefined) this.claim = details.claim;
    this.see = addressOf(details.code, details.option);
    brandError(this);
    const { cause } = details;
    if (cause !== undefined) setCause(this, isClinicianError(cause) ? cause : summarizeError(cause));
  }

  toJSON(): { name: string; code: string; message: string; retryable: boolean } {
    return { name: this.name, code: this.code, message: this.message, retryable: this.retryable };
  }
}

/** The user is not signed in, or no longer. Status 401, remedy `sign_in`. */
export class SignInRequiredError extends ClinicianError {
  override name = 'SignInRequiredError';

  constructor(code: CodeOf<'SignInRequiredError'>, message: string, cause?: unknown) {
    super(message, { code, ...ERROR_CLASSES.SignInRequiredError, cause });
  }
}

/** @returns the error of tokens that the service sent without a refresh token. @internal */
export function refreshTokenMissing(): SignInRequiredError {
  return new SignInRequiredError('refresh_token_missing', 'The service sent no refresh token. Please sign in again.');
}

/** @param cause why the tokens cannot be used any more @returns the error of a login whose tokens have ended. @internal */
export function grantEnded(cause?: unknown): SignInRequiredError {
  return new SignInRequiredError('grant_ended', 'This sign-in has ended. Please sign in again.', cause);
}

/** A login attempt cannot be finished and must be started again. Status 403, remedy `sign_in`. */
export class TransactionError extends ClinicianError {
  override name = 'TransactionError';

  constructor(code: CodeOf<'TransactionError'>, message: string, cause?: unknown) {
    super(message, { code, ...ERROR_CLASSES.TransactionError, cause });
  }
}

/**
 * The user, the service or the site denied the request. Status 403, remedy `tell_user`. For your own guard:
 * `next(new DeniedError('profile_refused', 'For admins only.'))`; `clinician.errorHandler()` shows the message.
 */
export class DeniedError extends ClinicianError {
  override name = 'DeniedError';

  constructor(
    code: CodeOf<'DeniedError'>,
    message: string,
    cause?: unknown,
    details: Pick<ErrorDetails, 'link' | 'scope'> = {},
  ) {
    super(message, { code, ...ERROR_CLASSES.DeniedError, cause, ...details });
  }
}

/** The service, a store or the network failed. Status 503, remedy `retry`. */
export class ServiceUnavailableError extends ClinicianError {
  override name = 'ServiceUnavailableError';

  constructor(
    code: CodeOf<'ServiceUnavailableError'>,
    message: string,
    details: Pick<ErrorDetails, 'cause' | 'retryAt'> = {},
  ) {
    super(message, { code, ...ERROR_CLASSES.ServiceUnavailableError, ...details });
  }
}

/** A response of the service violates the protocol, or is forged. It signs no user in. Status 502, remedy `investigate`. */
export class ProtocolError extends ClinicianError {
  override name = 'ProtocolError';

  constructor(
    code: CodeOf<'ProtocolError'>,
    message: string,
    cause?: unknown,
    details: Pick<ErrorDetails, 'claim'> = {},
  ) {
    super(message, { code, ...ERROR_CLASSES.ProtocolError, cause, ...details });
  }
}

const HIDDEN = ['status', 'statusCode', 'remedy', 'retryable', 'option'];

/**
 * An option or a call of the site is wrong. The message says how to fix it. If the site's own code threw an exception, `cause` is
 * that exception, unchanged. Status 500, remedy `fix_code`.
 */
export class ConfigurationError extends ClinicianError {
  override name = 'ConfigurationError';
  /** The option that is wrong, if the page Options has it. */
  declare readonly option?: string;

  constructor(
    code: CodeOf<'ConfigurationError'>,
    message: string,
    details: Pick<ErrorDetails, 'option' | 'cause'> = {},
  ) {
    super(message, { code, ...ERROR_CLASSES.ConfigurationError, option: details.option });
    if (details.cause !== undefined) setCause(this, details.cause);
    if (details.option !== undefined) this.option = details.option;
    // Node prints the enumerable members of an error that stops the process.
    for (const name of HIDDEN) if (Object.hasOwn(this, name)) Object.defineProperty(this, name, { enumerable: false });
  }
}

/** @returns the error for an invalid argument of a call. @param problem starts with the call, such as `deny() needs the reason` */
export function argumentInvalid(problem: string): ConfigurationError {
  return new ConfigurationError('argument_invalid', `passport-clinician: ${problem}`);
}

/** @returns a message for a developer, with the place that explains it. @internal */
export function withAddress({ message, see }: { message: string; see: string }): string {
  return `${message}\nSee ${see}`;
}

/** Not enumerable, because loggers print enumerable properties. */
function setCause(error: Error, cause: unknown): void {
  Object.defineProperty(error, 'cause', { value: cause, configurable: true });
}

const MAX_CAUSES = 5;
const IDENTIFIER = /^\w{1,64}$/;

/**
 * @param secrets the credentials that the error may contain
 * @returns an error with the name, code and message of another library's error, and the messages of its causes. Other properties
 * are left out: they may contain the request or the response, and so credentials, which a logger would print. Messages are masked
 * as {@link safeText} does.
 * @internal
 */
export function summarizeError(error: unknown, secrets: readonly string[] = []): Error {
  const causes = causesOf(error);
  const messages = causes.map(({ message }) => safeText(message, secrets)).filter((message) => message !== undefined);
  const summary = new Error(messages.length === 0 ? 'no message' : messages.join(': '));
  const safeIdentifier = (text: unknown) =>
    typeof text === 'string' && IDENTIFIER.test(text) && safeText(text, secrets) === text ? text : undefined;
  summary.name = safeIdentifier(causes[0]?.name) ?? 'Error';
  const code = causes.map((cause) => safeIdentifier(cause.code)).find((text) => text !== undefined);
  return code === undefined ? summary : Object.assign(summary, { code });
}

/** @returns the error and its causes, those of an AggregateError included. */
function causesOf(error: unknown): { name?: unknown; message?: unknown; code?: unknown }[] {
  const causes: object[] = typeof error === 'string' ? [{ message: error }] : [];
  const pending = [error];
  while (pending.length > 0 && causes.length < MAX_CAUSES) {
    const next = pending.shift();
    if (typeof next !== 'object' || next === null) continue;
    try {
      const { name, message, code, cause, errors } = next as Record<string, unknown>;
      causes.push({ name, message, code });
      pending.push(cause, ...(Array.isArray(errors) ? errors.slice(0, MAX_CAUSES) : []));
    } catch {
      // A getter of the error threw: nothing else of it is read.
    }
  }
  return causes;
}

/** Marks an error of another class, such as one of passport-oauth2's, as an error of this package. @internal */
export function brandError(error: Error): void {
  Object.defineProperty(error, BRAND, { value: true });
}

/** @returns true for every error of this package, also one that another copy of it created in the same process. */
export function isClinicianError(error: unknown): error is ClinicianError {
  return typeof error === 'object' && error !== null && (error as Record<symbol, unknown>)[BRAND] === true;
}

/** @returns an error of this package for any error, so that every response has a code and a status. */
export function asClinicianError(error: unknown): ClinicianError {
  if (isClinicianError(error)) return error;
  return new ConfigurationError('site_error', 'Your code failed.', { cause: error });
}
