import { isScopeToken, parseScope } from '../scope.js';
import { type ExpectedDocument, malformed, readJSONObject, throwIfUnavailable } from './json-response.js';
import { OAuthError, type OAuthErrorMembers, type Remedies } from './oauth-error.js';
import { sanitizeText } from './sanitize-text.js';

/** A token response whose every member has been checked, the ID Token alone excepted. */
export interface TokenResponse {
  members: Record<string, unknown>;
  accessToken: string;
  refreshToken?: string;
  idToken?: string;
  /** Seconds. Absent when the server does not say. */
  expiresIn?: number;
  /** Absent when the server does not say: then it is the one asked for (RFC 6749 section 5.1). */
  scope?: string[];
}

const REMEDIES: Remedies = new Map([
  ['invalid_grant', ['sign_in', 401]],
  ['temporarily_unavailable', ['retry', 503]],
  ['server_error', ['retry', 503]],
]);
const ERROR_CODE = /^[\x20\x21\x23-\x5B\x5D-\x7E]{1,64}$/;
/** RFC 6750 section 2.1: what a header can carry. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;
const VSCHARS = /^[\x20-\x7E]+$/;
const LONGEST_LIFETIME = 366 * 24 * 3600;

/** The token or revocation endpoint refused a request (RFC 6749 section 5.2, RFC 7009 section 2.2.1). `code` is its error. */
export class TokenResponseError extends OAuthError {
  constructor(members: OAuthErrorMembers, secrets: readonly string[] = []) {
    super('The service refused the request with', members, REMEDIES, secrets);
  }
}

/** @throws TokenResponseError when the answer says no as RFC 6749 section 5.2 has it, ProtocolError when it says it otherwise. */
export async function refuseErrorResponse(
  response: Response,
  expected: ExpectedDocument,
  secrets: readonly string[],
): Promise<void> {
  throwIfUnavailable(response, expected);
  if (response.status === 200) return;
  if (response.status < 400) throw malformed(expected, `came with status ${response.status}`);
  const { error, error_description, error_uri } = await readJSONObject(response, expected);
  if (typeof error !== 'string' || !ERROR_CODE.test(error) || sanitizeText(error, secrets) !== error) {
    throw malformed(expected, `came with status ${response.status} and no error code`);
  }
  throw new TokenResponseError({ error, error_description, error_uri }, secrets);
}

/** Reads a successful token response (RFC 6749 section 5.1), or throws. `expected` names it in errors. */
export async function readTokenResponse(
  response: Response,
  expected: ExpectedDocument,
  secrets: readonly string[],
): Promise<TokenResponse> {
  await refuseErrorResponse(response, expected, secrets);
  const members = await readJSONObject(response, expected);
  const { access_token, token_type, refresh_token, id_token } = members;
  const refuse = (fault: string) => malformed(expected, fault);
  if (typeof access_token !== 'string' || !B64TOKEN.test(access_token))
    throw refuse('has no access_token that a header can carry');
  if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer')
    throw refuse('has a token_type other than bearer');
  if (refresh_token !== undefined && !(typeof refresh_token === 'string' && VSCHARS.test(refresh_token))) {
    throw refuse('has a refresh_token that is no token');
  }
  if (id_token !== undefined && typeof id_token !== 'string') throw refuse('has an id_token that is no text');
  const expiresIn = readLifetime(members.expires_in, refuse);
  const scope = readScope(members.scope, refuse);
  return {
    members,
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(id_token !== undefined && { idToken: id_token }),
    ...(expiresIn !== undefined && { expiresIn }),
    ...(scope !== undefined && { scope }),
  };
}

type Refuse = (fault: string) => Error;

/** Some servers write the number as text. A life beyond a year says nothing more than a year does. */
function readLifetime(value: unknown, refuse: Refuse): number | undefined {
  if (value === undefined) return undefined;
  const seconds = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  if (typeof seconds !== 'number' || Number.isNaN(seconds) || seconds < 0)
    throw refuse('has an expires_in that is no number of seconds');
  return Math.min(Math.floor(seconds), LONGEST_LIFETIME);
}

function readScope(value: unknown, refuse: Refuse): string[] | undefined {
  if (value === undefined) return undefined;
  const scope = typeof value === 'string' ? parseScope(value) : undefined;
  if (scope === undefined || !scope.every(isScopeToken)) throw refuse('has a scope that is no list of words');
  return scope;
}
