import { ERROR_CLASSES } from '../errors/error-codes.js';
import { ClinicianError, DeniedError, ProtocolError, TransactionError } from '../errors/errors.js';
import { safeText } from '../errors/safe-text.js';
import { constantTimeEqual } from '../sealing/sealer.js';
import type { Transaction } from './authorization-request.js';
import type { ClientConfig } from './client-config.js';
import type { Flow } from './flows.js';
import { OAuthError, type OAuthErrorMembers, oauthErrorCode, type Remedies } from './oauth-error.js';

/** An authorization response with a code. */
interface AuthorizationResponse {
  code: string;
  /** The state of the session at the service (OIDC Session Management 1.0 section 2). */
  sessionState?: string;
}

const REMEDIES: Remedies = new Map([
  ['server_error', ['retry', 502]],
  ['temporarily_unavailable', ['retry', 503]],
  ['login_required', ['sign_in', 401]],
  ['consent_required', ['sign_in', 401]],
  ['interaction_required', ['sign_in', 401]],
  ['account_selection_required', ['sign_in', 401]],
]);
const VSCHARS = /^[\x20-\x7E]+$/;
/** It is stored in the session, and the browser can change it. Those of services have fewer than 100 characters. */
const MAX_SESSION_STATE_LENGTH = 512;

/** The parameters of other response types (OAuth 2.0 Multiple Response Type Encoding Practices, JARM). */
const OTHER_RESPONSE_TYPES = ['id_token', 'access_token', 'token', 'response'];

/**
 * Reports an authorization response with an error other than `access_denied` (RFC 6749 section 4.1.2.1, OIDC Core section
 * 3.1.2.6). `code` is that error.
 */
export class AuthorizationResponseError extends OAuthError {
  override name = 'AuthorizationResponseError';

  constructor(members: OAuthErrorMembers) {
    const description = safeText(members.error_description);
    const summary = `The service returned the error "${members.error}"`;
    super(description === undefined ? summary : `${summary}: ${description}`, members, REMEDIES);
  }
}

/**
 * Checks that an authorization response belongs to this transaction, and that the transaction has all that the flow needs, before
 * any other parameter is read (RFC 9700 section 2.1).
 * @throws TransactionError `transaction_missing`
 */
export function checkTransaction(query: URLSearchParams, transaction: Transaction, flow: Flow): void {
  const state = query.get('state');
  if (state === null || !constantTimeEqual(state, transaction.state)) {
    throw new TransactionError(
      'transaction_missing',
      'This response belongs to another sign-in. Please sign in again.',
    );
  }
  const isComplete = (!flow.nonce || Boolean(transaction.nonce)) && (!flow.pkce || Boolean(transaction.codeVerifier));
  if (!isComplete) {
    throw new TransactionError(
      'transaction_missing',
      'This sign-in started with other settings. Please sign in again.',
    );
  }
}

/**
 * Reads an authorization response whose state has been checked. Each parameter occurs once, and `iss` equals the issuer (RFC
 * 9207). It has a code, no error, and no parameter of another response type.
 * @throws ClinicianError `callback_malformed`, ProtocolError `issuer_mismatch`, DeniedError `access_denied`, or
 * {@link AuthorizationResponseError}
 */
export function readAuthorizationResponse(
  query: URLSearchParams,
  client: ClientConfig,
  requiresIssuer: boolean,
): AuthorizationResponse {
  const names = [...query.keys()];
  if (new Set(names).size !== names.length) throw callbackMalformed('it contains a parameter twice');
  const issuer = query.get('iss');
  if (issuer === null ? requiresIssuer : issuer !== client.issuer) {
    throw new ProtocolError(
      'issuer_mismatch',
      `The response was rejected: its parameter "iss" is missing or not ${client.issuer}.`,
    );
  }
  if (query.has('error')) throw responseError(query);
  for (const name of OTHER_RESPONSE_TYPES) {
    if (query.has(name)) throw callbackMalformed('it contains more than a code');
  }
  const code = query.get('code') ?? '';
  if (!VSCHARS.test(code)) throw callbackMalformed('it contains no code');
  const sessionState = query.get('session_state');
  if (sessionState !== null && sessionState.length > MAX_SESSION_STATE_LENGTH) {
    throw callbackMalformed(`its session_state is longer than ${MAX_SESSION_STATE_LENGTH} characters`);
  }
  return { code, ...(sessionState !== null && { sessionState }) };
}

function responseError(query: URLSearchParams): ClinicianError {
  const error = oauthErrorCode(query.get('error') as string);
  const error_description = query.get('error_description');
  if (error === 'access_denied') {
    return new DeniedError(error, safeText(error_description) ?? 'The sign-in was declined at the service.');
  }
  return new AuthorizationResponseError({ error, error_description, error_uri: query.get('error_uri') });
}

function callbackMalformed(reason: string): ClinicianError {
  const message = `The service's response is not valid: ${reason}. Please sign in again.`;
  return new ClinicianError(message, { code: 'callback_malformed', ...ERROR_CLASSES.ClinicianError });
}
