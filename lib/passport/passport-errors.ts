import OAuth2Strategy from 'passport-oauth2';
import { AuthorizationResponseError } from '../authorization-server/authorization-response.js';
import { TokenResponseError } from '../authorization-server/token-response.js';
import { brandError, type ClinicianError, isClinicianError, TransactionError } from '../errors/errors.js';
import { defined } from '../http/json.js';

/** The result that a strategy reports to Passport. @internal */
export type PassportOutcome =
  | { redirect: string }
  | { user: unknown; info: object }
  | { fail: object; status?: number }
  | { error: unknown };

const { AuthorizationError, TokenError, InternalOAuthError } = OAuth2Strategy;

/** Adds the members of this package's errors to an error of passport-oauth2. */
function withDetails<T extends Error>(error: T, source: ClinicianError): T {
  const { code, status, remedy, retryable, retryAt } = source;
  Object.assign(error, { code, status, statusCode: status, remedy, retryable, ...defined({ retryAt }) });
  Object.defineProperty(error, 'cause', { value: source, configurable: true });
  brandError(error);
  return error;
}

function asPassportError(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError)
    return withDetails(new AuthorizationError(error.message, error.code, error.errorURI as string), error);
  if (error instanceof TokenResponseError)
    return withDetails(new TokenError(error.message, error.code, error.errorURI as string), error);
  if (isClinicianError(error) && error.retryable)
    return withDetails(new InternalOAuthError(error.message, undefined), error);
  return error;
}

/**
 * Selects the strategy method that reports an error. An `error` has the class of passport-oauth2 where there is one (AuthorizationError, TokenError,
 * InternalOAuthError). @returns `fail` for a denial, and for an attempt that this browser did not start; else `error` @internal
 */
export function passportOutcome(error: unknown): PassportOutcome {
  if (isClinicianError(error)) {
    const { code, message, status } = error;
    if (error.remedy === 'tell_user') return { fail: { code, message } };
    if (error instanceof TransactionError) return { fail: { code, message }, status };
  }
  return { error: asPassportError(error) };
}
