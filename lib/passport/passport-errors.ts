import OAuth2Strategy from 'passport-oauth2';
import { AuthorizationResponseError } from '../authorization-server/authorization-response.js';
import { TokenResponseError } from '../authorization-server/token-response.js';
import { brandError, type ClinicianError, isClinicianError, TransactionError } from '../errors.js';

/** What a strategy tells Passport in the end. @internal */
export type PassportOutcome =
  | { redirect: string }
  | { user: unknown; info: object }
  | { fail: object; status?: number }
  | { error: unknown };

const { AuthorizationError, TokenError, InternalOAuthError } = OAuth2Strategy;

/** Gives an error of passport-oauth2's classes what every error of this package has. */
function dressed<T extends Error>(error: T, like: ClinicianError): T {
  const { code, status, remedy, retryable } = like;
  Object.assign(error, { code, status, remedy, retryable });
  Object.defineProperty(error, 'cause', { value: like, configurable: true });
  brandError(error);
  return error;
}

function asPassportError(error: unknown): unknown {
  if (error instanceof AuthorizationResponseError) {
    return dressed(new AuthorizationError(error.message, error.code, error.errorURI as string), error);
  }
  if (error instanceof TokenResponseError)
    return dressed(new TokenError(error.message, error.code, error.errorURI as string), error);
  if (isClinicianError(error) && error.retryable)
    return dressed(new InternalOAuthError(error.message, undefined), error);
  return error;
}

function failure({ code, message }: ClinicianError): object {
  return { code, message };
}

/**
 * The person's no, the site's no, and an attempt that is not this browser's are `fail`; all else is `error`, in
 * passport-oauth2's classes where it has one (AuthorizationError, TokenError, InternalOAuthError). @internal
 */
export function passportOutcome(error: unknown): PassportOutcome {
  if (isClinicianError(error) && error.remedy === 'tell_user') return { fail: failure(error) };
  if (error instanceof TransactionError) return { fail: failure(error), status: error.status };
  return { error: asPassportError(error) };
}
