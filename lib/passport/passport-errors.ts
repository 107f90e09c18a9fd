import { AuthorizationResponseError } from '../authorization-server/authorization-response.js';
import { TokenResponseError } from '../authorization-server/token-endpoint.js';
import {
  asClinicianError,
  brandError,
  type ClinicianError,
  isClinicianError,
  TransactionError,
} from '../errors/errors.js';
import { userMessage } from '../html/error-pages.js';
import type { CompleteTexts } from '../html/texts.js';
import { defined } from '../http/json.js';
import { passportOAuth2 } from './oauth2-strategy.js';

/** The result that a strategy reports to Passport. @internal */
export type PassportOutcome =
  | { redirect: string }
  | { user: unknown; info: object }
  | { fail: object; status?: number }
  | { error: unknown };

/** Adds the members of this package's errors to an error of passport-oauth2. @param name of its class, which bundlers rename */
function withDetails<T extends Error>(error: T, name: string, source: ClinicianError): T {
  const { code, status, remedy, retryable, retryAt, see } = source;
  Object.assign(error, { name, code, status, statusCode: status, remedy, retryable, see, ...defined({ retryAt }) });
  Object.defineProperty(error, 'cause', { value: source, configurable: true });
  brandError(error);
  return error;
}

function asPassportError(error: unknown): unknown {
  const { AuthorizationError, TokenError, InternalOAuthError } = passportOAuth2;
  if (error instanceof AuthorizationResponseError)
    return withDetails(
      new AuthorizationError(error.message, error.code, error.errorURI as string),
      'AuthorizationError',
      error,
    );
  if (error instanceof TokenResponseError)
    return withDetails(new TokenError(error.message, error.code, error.errorURI as string), 'TokenError', error);
  if (isClinicianError(error) && error.retryable)
    return withDetails(new InternalOAuthError(error.message, undefined), 'InternalOAuthError', error);
  return error;
}

/**
 * Selects the strategy method that reports an error. An `error` has the class of passport-oauth2 if there is one
 * (AuthorizationError, TokenError, InternalOAuthError). @param texts of the pages @returns `fail` for a denial, and for an
 * attempt that this browser did not start; else `error` @internal
 */
export function passportOutcome(error: unknown, texts: CompleteTexts): PassportOutcome {
  if (isClinicianError(error)) {
    const fail: object = { code: error.code, message: userMessage(error, 'signIn', texts) };
    // Not enumerable: the description from the service is not for users.
    Object.defineProperty(fail, 'cause', { value: error });
    if (error.remedy === 'tell_user') return { fail };
    if (error instanceof TransactionError) return { fail, status: error.status };
  }
  // Passport calls the next handler for an error that is false, such as undefined.
  return { error: asPassportError(error) || asClinicianError(error) };
}
