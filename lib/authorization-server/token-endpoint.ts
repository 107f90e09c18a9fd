import { withTimeout } from '../async/timers.js';
import { grantEnded, isClinicianError, ProtocolError } from '../errors/errors.js';
import { BEARER_TOKEN, type Fetch, type FetchResponse, sendRequest } from '../http/http.js';
import { type JSONDocument, malformed, readJSONDocument } from '../http/json.js';
import { Secret } from '../sealing/sealer.js';
import type { ClientConfig } from './client-config.js';
import { throwIfUnavailable } from './documents.js';
import { type Flow, isWithin, parseScope, SCOPE, type Scope } from './flows.js';
import { type IDTokenExpectation, validateIDToken } from './id-token.js';
import type { SigningKeys } from './jwks.js';
import type { Metadata } from './metadata.js';
import { OAuthError, type OAuthErrorMembers, oauthErrorCode, type Remedies } from './oauth-error.js';
import { type TokenSet, tokenParams } from './token-set.js';

/** A token request (RFC 6749 sections 4.1.3 and 6), and what its response must have. */
export interface TokenRequest {
  grantType: 'authorization_code' | 'refresh_token';
  parameters: Record<string, string>;
  /** Applies if the response has no scope. */
  requestedScope: Scope;
  /** The response must not have more scope. */
  allowedScope?: Scope | undefined;
  idToken: Pick<IDTokenExpectation, 'nonce' | 'nonceOptional' | 'subject' | 'authenticatedSince'> & {
    /** A refresh may return no ID Token (OIDC Core section 12.2). */
    optional?: boolean;
  };
}

/** The members of a token response as the service sent them. */
type Members = Record<string, unknown>;

/** A token response (RFC 6749 section 5.1), checked except for the ID Token. */
interface TokenResponse {
  accessToken: string;
  refreshToken: string | undefined;
  /** Not validated. */
  idToken: string | undefined;
  /** Lifetime of the access token in seconds, at most 366 days. Undefined when the service does not send it. */
  expiresIn: number | undefined;
  /** Undefined when the service does not send it: then it is the requested scope. */
  scope: string[] | undefined;
}

const TOKEN_RESPONSE: JSONDocument = { name: 'the token response' };
const REVOCATION_RESPONSE: JSONDocument = { name: 'the revocation response' };
const REMEDIES: Remedies = new Map([
  ['invalid_grant', ['sign_in', 401]],
  ['temporarily_unavailable', ['retry', 503]],
  ['server_error', ['retry', 503]],
]);
const REVOCATION_TIMEOUT_MS = 2_000;
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

export class TokenEndpoint {
  readonly #client: ClientConfig;
  readonly #fetch: Fetch;
  readonly #metadata: Metadata;
  readonly #keys: SigningKeys;
  #revokeRefused = (token: Secret): Promise<void> =>
    withTimeout(REVOCATION_TIMEOUT_MS, this.revoke(token)).catch(() => undefined);

  constructor(client: ClientConfig, fetch: Fetch, metadata: Metadata, keys: SigningKeys) {
    this.#client = client;
    this.#fetch = fetch;
    this.#metadata = metadata;
    this.#keys = keys;
  }

  /**
   * Requests tokens. The tokens of a response that is refused are revoked, in two seconds at most: they are stored nowhere, and
   * would be valid until they expire.
   * @throws SignInRequiredError `grant_ended` for a refused response to a refresh: the service has used up the refresh token, and
   * takes another use of it for theft (RFC 9700 section 4.14.2)
   */
  async request(request: TokenRequest): Promise<TokenSet> {
    const requestedAt = this.#client.clock.now();
    const { members, unread } = await this.#send(request);
    try {
      if (unread !== undefined) throw unread;
      return await this.#accept(members, request, requestedAt);
    } catch (error) {
      await this.#revokeTokensIn(members);
      throw request.grantType === 'refresh_token' ? grantEnded(error) : error;
    }
  }

  /** Revokes a token (RFC 7009 section 2.1). @throws ProtocolError `revocation_unsupported` */
  async revoke(token: Secret): Promise<void> {
    const endpoint = await this.#metadata.revocationEndpoint();
    if (endpoint === undefined) {
      const message = 'The service has no revocation endpoint: its tokens are valid until they expire.';
      throw new ProtocolError('revocation_unsupported', message);
    }
    const parameters = { token: token.reveal() };
    const secrets = [parameters.token, this.#client.clientSecret.reveal()];
    // Required in both flows (service spec, POST /oauth/revoke).
    const response = await this.#post(endpoint, parameters, 'client_secret_basic', secrets);
    if (response.status === 200) return;
    const error = await responseError(response, REVOCATION_RESPONSE, secrets);
    if (error instanceof TokenResponseError && error.code === 'unsupported_token_type') {
      const message = 'The service does not revoke this type of token: it is valid until it expires.';
      throw new ProtocolError('revocation_unsupported', message);
    }
    throw error;
  }

  /** @param revoke replaces {@link revoke} for the tokens of refused responses: it never throws, and takes two seconds at most */
  revokeRefusedWith(revoke: (token: Secret) => Promise<void>): void {
    this.#revokeRefused = revoke;
  }

  /** @returns the members of a successful response, or why it cannot be read: it may have contained tokens. */
  async #send({ grantType, parameters }: TokenRequest): Promise<{ members: Members; unread?: unknown }> {
    const { flow, clientSecret } = this.#client;
    const { metadata } = await this.#metadata.server.get();
    const { redirect_uri: _, ...credentials } = parameters;
    const secrets = [...Object.values(credentials), clientSecret.reveal()];
    const form = { ...parameters, grant_type: grantType };
    let status = 200;
    try {
      const response = await this.#post(metadata.token_endpoint, form, flow.clientAuthentication, secrets);
      status = response.status;
      if (response.status !== 200) throw await responseError(response, TOKEN_RESPONSE, secrets);
      return { members: (await readJSONDocument(response, TOKEN_RESPONSE)).json };
    } catch (error) {
      const isUnread = status < 300 && isClinicianError(error) && error.code === 'response_malformed';
      if (isUnread) return { members: {}, unread: error };
      throw error;
    }
  }

  /** @param secrets which no error may contain */
  #post(
    url: string,
    parameters: Record<string, string>,
    authentication: Flow['clientAuthentication'],
    secrets: readonly string[],
  ): Promise<FetchResponse> {
    const { clientID: client_id, clientSecret } = this.#client;
    const client_secret = clientSecret.reveal();
    const isPost = authentication === 'client_secret_post';
    const body = new URLSearchParams({ ...parameters, ...(isPost && { client_id, client_secret }) });
    const headers = {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded;charset=UTF-8',
      ...(!isPost && { authorization: basicAuthorization(client_id, client_secret) }),
    };
    return sendRequest(this.#fetch, url, { method: 'POST', headers, body }, secrets);
  }

  /** Checks a successful response (OIDC Core section 3.1.3.3). */
  async #accept(members: Members, request: TokenRequest, requestedAt: number): Promise<TokenSet> {
    const { issuer, clientID, clock, flow } = this.#client;
    const { accessTokenLifetime, expectsIDToken } = flow;
    const { requestedScope, allowedScope } = request;
    const response = checkTokenResponse(members);
    const { accessToken, refreshToken, idToken, expiresIn = accessTokenLifetime, scope = requestedScope } = response;
    if (expectsIDToken && idToken === undefined && !request.idToken.optional) {
      throw new ProtocolError('id_token_missing', 'The token response has no ID Token.');
    }
    const now = Math.floor(clock.now() / 1000);
    const expected = { ...request.idToken, issuer, clientID, accessToken, now };
    const isChecked = expectsIDToken && idToken !== undefined;
    const claims = isChecked ? await validateIDToken(idToken, expected, this.#keys) : undefined;
    if (allowedScope !== undefined && !isWithin(scope, allowedScope)) {
      throw new ProtocolError('scope_widened', 'The refreshed tokens have a scope that was not granted.');
    }
    const { id_token: _, ...otherMembers } = members;
    return {
      accessToken: new Secret(accessToken),
      ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
      ...(isChecked && { idToken: new Secret(idToken) }),
      expiresAt: requestedAt + expiresIn * 1000,
      scope: [...scope],
      params: tokenParams(claims ? members : otherMembers),
      ...claims,
    };
  }

  async #revokeTokensIn({ refresh_token, access_token }: Members): Promise<void> {
    const token = [refresh_token, access_token].find((value) => typeof value === 'string' && value !== '');
    if (token !== undefined) await this.#revokeRefused(new Secret(token as string));
  }
}

/**
 * @returns the header of HTTP Basic. The client id and the secret are each in application/x-www-form-urlencoded (RFC 6749 section
 * 2.3.1). openid-client also escapes the characters `-._`, which that encoding leaves as they are: a server that does not decode
 * would refuse such a secret.
 */
export function basicAuthorization(clientID: string, clientSecret: string): string {
  // This serializer leaves `*-._` as they are, writes a space as `+`, and escapes `=` and `:`.
  const credentials = String(new URLSearchParams([[clientID, clientSecret]])).replace('=', ':');
  return `Basic ${Buffer.from(credentials).toString('base64')}`;
}

/**
 * @returns the error of a response with another status than 200: TokenResponseError for an OAuth error response, otherwise
 * ProtocolError. Throws ServiceUnavailableError
 */
async function responseError(
  response: FetchResponse,
  expected: JSONDocument,
  secrets: readonly string[],
): Promise<Error> {
  throwIfUnavailable(response, expected);
  if (response.status < 400) return malformed(expected, `has the HTTP status ${response.status}`);
  const { json: members } = await readJSONDocument(response, expected);
  const { error } = members;
  if (typeof error !== 'string') return malformed(expected, `has the HTTP status ${response.status} and no error code`);
  const tokens = [members.access_token, members.refresh_token, members.id_token];
  const credentials = [...secrets, ...tokens.filter((token) => typeof token === 'string')];
  return new TokenResponseError({ ...members, error: oauthErrorCode(error, credentials) }, credentials);
}

/** Checks the members of a successful response (RFC 6749 section 5.1, RFC 6750 section 2.1). */
function checkTokenResponse(members: Members): TokenResponse {
  const { access_token, token_type, expires_in } = members;
  if (typeof access_token !== 'string' || !BEARER_TOKEN.test(access_token))
    throw invalid('access_token', 'is not an access token');
  if (typeof token_type !== 'string' || token_type.toLowerCase() !== 'bearer')
    throw invalid('token_type', 'is not Bearer');
  for (const name of ['refresh_token', 'id_token', 'scope']) {
    if (members[name] !== undefined && typeof members[name] !== 'string') throw invalid(name, 'is not a string');
  }
  const { refresh_token, id_token, scope } = members as Record<string, string | undefined>;
  if (refresh_token !== undefined && !VSCHARS.test(refresh_token)) throw invalid('refresh_token', 'is not a token');
  // Some servers send digits in a string.
  const seconds = typeof expires_in === 'string' && /^\d{1,15}$/.test(expires_in) ? Number(expires_in) : expires_in;
  if (seconds !== undefined && !(typeof seconds === 'number' && seconds >= 0)) {
    throw invalid('expires_in', 'is not a number of seconds');
  }
  if (scope !== undefined && scope.length > MAX_SCOPE_LENGTH) {
    throw invalid('scope', `has more than ${MAX_SCOPE_LENGTH} characters`);
  }
  if (scope !== undefined && !SCOPE.test(scope)) throw invalid('scope', 'has characters that a scope cannot have');
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    idToken: id_token,
    expiresIn: seconds && Math.min(Math.floor(seconds), MAX_LIFETIME_SECONDS),
    scope: scope === undefined ? undefined : parseScope(scope),
  };
}

function invalid(name: string, reason: string): Error {
  return malformed(TOKEN_RESPONSE, `has a member ${name} that ${reason}`);
}
