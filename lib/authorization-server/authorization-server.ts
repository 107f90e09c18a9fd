import { ProtocolError, refreshTokenMissing } from '../errors/errors.js';
import { defined } from '../http/json.js';
import { randomText, Secret } from '../sealing/secret.js';
import {
  type AuthorizationParameters,
  type AuthorizationRequest,
  checkListedScope,
  startTransaction,
  type Transaction,
  type TransactionSecrets,
  transactionSecrets,
} from './authorization-request.js';
import { checkTransaction, readAuthorizationResponse } from './authorization-response.js';
import { type AuthorizationServerOptions, type ClientConfig, resolveClientConfig } from './client-config.js';
import type { Scope } from './flows.js';
import { type IDTokenClaims, type IDTokenExpectation, nonceOf, validateIDToken } from './id-token.js';
import { createSigningKeys, type SigningKeys } from './jwks.js';
import { OAuthClient } from './oauth-client.js';
import type { TokenResponse } from './token-response.js';
import { type TokenSet, tokenParams } from './token-set.js';

/** The parameters of a logout request (OIDC RP-Initiated Logout 1.0 section 2). */
interface EndSessionParameters {
  /** The ID Token of the login that ends. The service requires it. */
  idTokenHint: Secret;
  /** The URL that the service redirects to afterwards, exactly as it is registered. */
  postLogoutRedirectURI: string;
  /** Returned on that redirect. */
  state?: string | undefined;
}

interface TokenRequest {
  grantType: 'authorization_code' | 'refresh_token';
  parameters: Record<string, string>;
  /** Applies if the response has no scope. */
  requestedScope: Scope;
  /** The response must not have more scope. */
  allowedScope?: Scope;
  idToken: Pick<IDTokenExpectation, 'nonce' | 'nonceOptional' | 'subject' | 'authenticatedSince'> & {
    /** A refresh may return no ID Token (OIDC Core section 12.2). */
    optional?: boolean;
  };
}

/** 256 bits, as RFC 7636 section 7.1 recommends for a code verifier. */
const SECRET_BYTES = 32;

/** Sends the requests of one client to the authorization server. No request is sent before a method needs it. */
export class AuthorizationServer {
  /** How long a prepared refresh can take, in milliseconds: the token request and a refetch of the keys. */
  readonly refreshTimeoutMs: number;
  /** Requests a document for a health check, one request each: the metadata, and then the keys. Absent if there are no keys. */
  readonly checks: { metadata: () => Promise<void>; keys?: () => Promise<void> };
  readonly #client: ClientConfig;
  readonly #oauth: OAuthClient;
  readonly #keys: SigningKeys;

  constructor(options: AuthorizationServerOptions) {
    const client = resolveClientConfig(options);
    const { expectsIDToken } = client.flow;
    const oauth = new OAuthClient(client);
    const keys = createSigningKeys(client, oauth);
    this.#client = client;
    this.#oauth = oauth;
    this.#keys = keys;
    this.refreshTimeoutMs = expectsIDToken ? 2 * client.timeout : client.timeout;
    this.checks = { metadata: () => oauth.checkMetadata(), ...(expectsIDToken && { keys: keys.check }) };
  }

  /** Starts a login attempt. @param secrets @default random values */
  async request(
    parameters: AuthorizationParameters = {},
    secrets: TransactionSecrets = this.#randomSecrets(),
  ): Promise<AuthorizationRequest> {
    const { query, transaction } = startTransaction(this.#client, parameters, secrets);
    checkListedScope(this.#client.flow, transaction, await this.#oauth.metadata());
    return { url: await this.#oauth.authorizationURL(query), transaction };
  }

  /**
   * Checks an authorization response against its transaction, exchanges its code for tokens and checks the token response (RFC
   * 6749 section 4.1.3, OIDC Core section 3.1.3).
   */
  async redeem(response: URLSearchParams, transaction: Transaction): Promise<TokenSet> {
    const { flow, clock, redirectURI } = this.#client;
    checkTransaction(response, transaction, flow);
    const metadata = await this.#oauth.metadata();
    const requiresIssuer = metadata.authorization_response_iss_parameter_supported === true;
    const { code, sessionState } = readAuthorizationResponse(response, this.#client, requiresIssuer);
    const { codeVerifier, nonce, scope } = transaction;
    const tokens = await this.#requestTokens({
      grantType: 'authorization_code',
      parameters: { code, redirect_uri: redirectURI, ...defined({ code_verifier: codeVerifier }) },
      requestedScope: scope.filter((token) => !flow.separateScope.includes(token)),
      idToken: { nonce, ...defined({ authenticatedSince: authenticatedSince(clock.now(), transaction) }) },
    });
    return { ...tokens, ...defined({ sessionState }) };
  }

  /**
   * Fetches the metadata and the keys that {@link refresh} needs, so that it then sends one request only.
   * @param validForMs fetches them again if they expire within this time
   */
  async prepareRefresh(validForMs: number): Promise<void> {
    await this.#oauth.metadata(validForMs);
    if (this.#client.flow.expectsIDToken) await this.#keys.ready(validForMs);
  }

  /**
   * Exchanges the refresh token for a new pair, which revokes the old one (RFC 6749 section 6; service spec, POST /oauth/token).
   * The subject stays the same, and the scope never exceeds the granted one.
   * @throws SignInRequiredError `grant_ended` for a response that is refused, with the reason as its cause
   */
  async refresh(current: TokenSet): Promise<TokenSet> {
    const { refreshToken, idToken, subject, profileID, sessionState, authTime, scope, grantedScope = scope } = current;
    if (refreshToken === undefined) throw refreshTokenMissing();
    // Before the refresh token is used: without the keys its response could not be checked, and the tokens would be lost.
    if (this.#client.flow.expectsIDToken) await this.#keys.ready();
    const { authTime: _, ...tokens } = await this.#requestTokens({
      grantType: 'refresh_token',
      parameters: { refresh_token: refreshToken.reveal() },
      requestedScope: grantedScope,
      allowedScope: grantedScope,
      // A refreshed ID Token may repeat the nonce of the first one (OIDC Core section 12.2).
      idToken: {
        nonce: idToken && nonceOf(idToken.reveal()),
        nonceOptional: true,
        optional: true,
        ...defined({ subject }),
      },
    });
    return {
      refreshToken,
      ...defined({ idToken, subject }),
      ...tokens,
      ...(isWithin(grantedScope, tokens.scope) ? {} : { grantedScope }),
      ...defined({ profileID, authTime, sessionState }),
    };
  }

  /**
   * Revokes an access or refresh token and the other token of its pair (RFC 7009; service spec, POST /oauth/revoke).
   * @throws ProtocolError `revocation_unsupported` if the service has no revocation endpoint
   */
  revoke(token: Secret): Promise<void> {
    return this.#oauth.revoke(token.reveal());
  }

  /** @param revoke revokes the tokens of refused responses: it never throws, and takes two seconds at most */
  revokeRefusedWith(revoke: (token: Secret) => Promise<void>): void {
    this.#oauth.revokeRefusedWith(revoke);
  }

  /** @returns the URL that ends the session at the service; undefined if the service has no such endpoint. */
  endSession({ idTokenHint, postLogoutRedirectURI, state }: EndSessionParameters): Promise<string | undefined> {
    return this.#oauth.endSessionURL({
      id_token_hint: idTokenHint.reveal(),
      post_logout_redirect_uri: postLogoutRedirectURI,
      ...(state !== undefined && { state }),
    });
  }

  /** @returns the URL of the session check page (OIDC Session Management 1.0 section 3); undefined if there is none. */
  async checkSessionIframe(): Promise<string | undefined> {
    const { check_session_iframe: address } = await this.#oauth.metadata();
    return typeof address === 'string' ? address : undefined;
  }

  #randomSecrets(): TransactionSecrets {
    return transactionSecrets(this.#client.flow, randomText(SECRET_BYTES), () => randomText(SECRET_BYTES));
  }

  /** Sends a token request. Checks what its response must have. */
  #requestTokens({ grantType, parameters, requestedScope, allowedScope, idToken }: TokenRequest): Promise<TokenSet> {
    const { clock, flow } = this.#client;
    const requestedAt = clock.now();
    return this.#oauth.requestTokens(grantType, parameters, async (response) => {
      const { members, refreshToken, expiresIn = flow.accessTokenLifetime, scope = requestedScope } = response;
      const claims = await this.#checkIDToken(response, idToken);
      if (allowedScope !== undefined && !isWithin(scope, allowedScope)) {
        throw new ProtocolError('scope_widened', 'The refreshed tokens have a scope that was not granted.');
      }
      const { id_token: _, ...otherMembers } = members;
      return {
        accessToken: new Secret(response.accessToken),
        ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
        ...(claims && response.idToken !== undefined && { idToken: new Secret(response.idToken) }),
        expiresAt: requestedAt + expiresIn * 1000,
        scope: [...scope],
        params: tokenParams(claims ? members : otherMembers),
        ...claims,
      };
    });
  }

  async #checkIDToken(
    { idToken, accessToken }: TokenResponse,
    expected: TokenRequest['idToken'],
  ): Promise<IDTokenClaims | undefined> {
    const { issuer, clientID, clock, flow } = this.#client;
    if (!flow.expectsIDToken || (idToken === undefined && expected.optional)) return undefined;
    if (idToken === undefined) {
      throw new ProtocolError('id_token_missing', 'The token response has no ID Token.');
    }
    return validateIDToken(
      idToken,
      { ...expected, issuer, clientID, accessToken, now: epochSeconds(clock.now()) },
      this.#keys,
    );
  }
}

/** @returns the earliest accepted authentication time in seconds: by `max_age`, and the start of the login by `prompt=login`. */
function authenticatedSince(now: number, { maxAge, prompt, createdAt }: Transaction): number | undefined {
  const limits = [
    ...(maxAge === undefined ? [] : [epochSeconds(now) - maxAge]),
    ...(prompt?.split(' ').includes('login') ? [epochSeconds(createdAt)] : []),
  ];
  return limits.length === 0 ? undefined : Math.max(...limits);
}

/** @returns whole seconds, as in a NumericDate (RFC 7519 section 2). @param ms milliseconds since the Unix epoch */
function epochSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

function isWithin(scope: Scope, allowed: Scope): boolean {
  return scope.every((token) => allowed.includes(token));
}
