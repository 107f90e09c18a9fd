import type { TokenEndpointResponse } from 'openid-client';
import { type FetchResponse, isBearerToken } from '../http/http.js';
import { defined } from '../http/json.js';
import { type ExpectedDocument, malformed, readJSONObject, throwIfUnavailable } from './documents.js';
import { isScopeToken, parseScope } from './flows.js';
import { OAuthError, type OAuthErrorMembers, oauthErrorCode, type Remedies } from './oauth-error.js';

/** A successful token response (RFC 6749 section 5.1), checked except for the ID Token. */
export interface TokenResponse {
  /** The members as the service sent them. */
  members: Record<string, unknown>;
  accessToken: string;
  refreshToken?: string;
  /** Not validated. */
  idToken?: string;
  /** Lifetime of the access token in seconds, at most 366 days. Absent when the service does not send it. */
  expiresIn?: number;
  /** Absent when the service does not send it: then it is the requested scope (RFC 6749 section 5.1). */
  scope?: string[];
}

type Members = Record<string, unknown>;

export const TOKEN_RESPONSE: ExpectedDocument = { name: 'the token response', code: 'response_malformed' };

const REMEDIES: Remedies = new Map([
  ['invalid_grant', ['sign_in', 401]],
  ['temporarily_unavailable', ['retry', 503]],
  ['server_error', ['retry', 503]],
]);
const VSCHARS = /^[\x20-\x7E]+$/;
/** Sessions and events contain the scope. */
const MAX_SCOPE_LENGTH = 1_000;
const MAX_LIFETIME_SECONDS = 366 * 24 * 3600;

/**
 * Reports an error response of the token or revocation endpoint (RFC 6749 section 5.2, RFC 7009 section 2.2.1). `code` is that
 * error.
 */
export class TokenResponseError extends OAuthError {
  override name = 'TokenResponseError';

  constructor(members: OAuthErrorMembers, secrets: readonly string[] = []) {
    // Without the description: a site may show this message to the user.
    super(`The service rejected the request with the error "${members.error}"`, members, REMEDIES, secrets);
  }
}

/**
 * Throws unless the status is 200.
 * @throws TokenResponseError for an OAuth error response, ProtocolError for another status, ServiceUnavailableError
 */
export async function checkErrorResponse(
  response: FetchResponse,
  expected: ExpectedDocument,
  secrets: readonly string[],
): Promise<void> {
  throwIfUnavailable(response, expected);
  if (response.status === 200) return;
  if (response.status < 400) throw malformed(expected, `has the HTTP status ${response.status}`);
  const members = await readJSONObject(response, expected);
  const { error } = members;
  if (typeof error !== 'string') {
    throw malformed(expected, `has the HTTP status ${response.status} and no error code`);
  }
  const tokens = [members.access_token, members.refresh_token, members.id_token];
  const credentials = [...secrets, ...tokens.filter((token) => typeof token === 'string')];
  throw new TokenResponseError({ ...members, error: oauthErrorCode(error, credentials) }, credentials);
}

/**
 * Checks what openid-client does not: the characters of tokens and scope, the lifetime, Bearer as the only token type.
 * @param response what openid-client has returned
 * @param members the members as the service sent them
 */
export function checkTokenResponse(response: TokenEndpointResponse, members: Members): TokenResponse {
  const { access_token, token_type, refresh_token, scope } = response;
  const { id_token, expires_in } = members;
  if (!isBearerToken(access_token)) throw invalid('access_token', 'has characters that no header can contain');
  if (token_type !== 'bearer') throw invalid('token_type', 'is not Bearer');
  if (refresh_token !== undefined && !VSCHARS.test(refresh_token)) throw invalid('refresh_token', 'is not a token');
  if (id_token !== undefined && typeof id_token !== 'string') throw invalid('id_token', 'is not a string');
  return {
    members,
    accessToken: access_token,
    ...defined({ refreshToken: refresh_token, idToken: id_token, expiresIn: readLifetime(expires_in) }),
    ...(scope !== undefined && { scope: readScope(scope) }),
  };
}

/** Accepts digits in a string, which some servers send, and bounds the lifetime. */
function readLifetime(value: unknown): number | undefined {
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || Number.isNaN(seconds) || seconds < 0) {
    throw invalid('expires_in', 'is not a number of seconds');
  }
  return Math.min(Math.floor(seconds), MAX_LIFETIME_SECONDS);
}

function readScope(value: string): string[] {
  if (value.length > MAX_SCOPE_LENGTH) throw invalid('scope', `has more than ${MAX_SCOPE_LENGTH} characters`);
  const scope = parseScope(value);
  if (!scope.every(isScopeToken)) throw invalid('scope', 'has characters that a scope cannot have');
  return scope;
}

function invalid(name: string, reason: string): Error {
  return malformed(TOKEN_RESPONSE, `has a member ${name} that ${reason}`);
}
