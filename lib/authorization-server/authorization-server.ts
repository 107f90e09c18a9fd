import type { PendingWork } from '../async/work.js';
import { refreshTokenMissing } from '../errors/errors.js';
import type { Fetch } from '../http/http.js';
import { defined } from '../http/json.js';
import { randomText, type Secret } from '../sealing/sealer.js';
import {
  type AuthorizationParameters,
  type AuthorizationRequest,
  checkListedScope,
  startTransaction,
  type Transaction,
} from './authorization-request.js';
import { checkTransaction, readAuthorizationResponse } from './authorization-response.js';
import type { ClientConfig } from './client-config.js';
import { isWithin, type TransactionSecrets, transactionSecrets } from './flows.js';
import { nonceOf } from './id-token.js';
import { SigningKeys } from './jwks.js';
import { Metadata } from './metadata.js';
import { TokenEndpoint, type TokenRequest } from './token-endpoint.js';
import type { TokenSet } from './token-set.js';

/** The parameters of a logout request (OIDC RP-Initiated Logout 1.0 section 2). The service requires the ID Token. */
interface EndSessionParameters {
  idTokenHint: Secret;
  postLogoutRedirectURI: string;
  state?: string | undefined;
}

/** As RFC 7636 section 7.1 recommends for a code verifier. */
const SECRET_BYTES = 32;

/** Sends the requests of one client to the authorization server. No request is sent before a method needs it. */
export class AuthorizationServer {
  /** How long a prepared refresh can take, in milliseconds: the token request and a refetch of the keys. */
  readonly refreshTimeoutMs: number;
  readonly #client: ClientConfig;
  readonly #metadata: Metadata;
  readonly #keys: SigningKeys;
  readonly #tokenEndpoint: TokenEndpoint;
  readonly #work: PendingWork;

  /** @param work tracks the requests that a process must finish before it exits */
  constructor(client: ClientConfig, fetch: Fetch, work: PendingWork) {
    this.#client = client;
    this.#metadata = new Metadata(client, fetch);
    this.#keys = new SigningKeys(client.clock, fetch, this.#metadata);
    this.#tokenEndpoint = new TokenEndpoint(client, fetch, this.#metadata, this.#keys);
    this.#work = work;
    this.refreshTimeoutMs = client.flow.expectsIDToken ? 2 * client.timeout : client.timeout;
  }

  /** Requests a document for a health check, one request each: the metadata, and then the keys. Absent if there are no keys. */
  get checks(): { metadata: () => Promise<void>; keys?: () => Promise<unknown> } {
    const metadata = () => this.#metadata.check();
    return this.#client.flow.expectsIDToken ? { metadata, keys: () => this.#keys.all.refetch() } : { metadata };
  }

  /** Starts a login attempt. @param secrets @default random values */
  async request(
    parameters: AuthorizationParameters = {},
    secrets: TransactionSecrets = this.#randomSecrets(),
  ): Promise<AuthorizationRequest> {
    const { query, transaction } = startTransaction(this.#client, parameters, secrets);
    const { metadata, openIDClient, configuration } = await this.#metadata.server.get();
    checkListedScope(this.#client.flow, transaction, metadata);
    return { url: openIDClient.buildAuthorizationUrl(configuration, query).href, transaction };
  }

  /**
   * Checks an authorization response against its transaction, exchanges its code for tokens and checks the token response (RFC
   * 6749 section 4.1.3, OIDC Core section 3.1.3).
   */
  async redeem(response: URLSearchParams, transaction: Transaction): Promise<TokenSet> {
    const { flow, clock, redirectURI } = this.#client;
    checkTransaction(response, transaction, flow);
    const { metadata } = await this.#metadata.server.get();
    const requiresIssuer = metadata.authorization_response_iss_parameter_supported === true;
    const { code, sessionState } = readAuthorizationResponse(response, this.#client, requiresIssuer);
    const { codeVerifier, nonce, scope } = transaction;
    const request: TokenRequest = {
      grantType: 'authorization_code',
      parameters: { code, redirect_uri: redirectURI, ...defined({ code_verifier: codeVerifier }) },
      requestedScope: scope.filter((token) => !flow.separateScope.includes(token)),
      idToken: { nonce, ...defined({ authenticatedSince: authenticatedSince(clock.now(), transaction) }) },
    };
    const tokens = await this.#work.start(() => this.#tokenEndpoint.request(request));
    return { ...tokens, ...defined({ sessionState }) };
  }

  /** Fetches the metadata and the keys that {@link refresh} needs, unless they are cached for this time. */
  async prepareRefresh(validForMs: number): Promise<void> {
    await this.#metadata.server.get(validForMs);
    if (this.#client.flow.expectsIDToken) await this.#keys.all.get(validForMs);
  }

  /**
   * Exchanges the refresh token for a new pair, which revokes the old one (RFC 6749 section 6; service spec, POST /oauth/token).
   * The subject stays the same, and the scope never exceeds the granted one, as far as these are known.
   * @throws SignInRequiredError `grant_ended` for a response that is refused, with the reason as its cause
   */
  async refresh(current: Partial<TokenSet>): Promise<TokenSet> {
    const { refreshToken, idToken, subject, profileID, sessionState, authTime, scope, grantedScope = scope } = current;
    if (refreshToken === undefined) throw refreshTokenMissing();
    // Before the refresh token is used: without the keys its response could not be checked, and the tokens would be lost.
    if (this.#client.flow.expectsIDToken) await this.#keys.all.get();
    const request: TokenRequest = {
      grantType: 'refresh_token',
      parameters: { refresh_token: refreshToken.reveal() },
      requestedScope: grantedScope ?? [],
      allowedScope: grantedScope,
      // A refreshed ID Token may repeat the nonce of the first one (OIDC Core section 12.2).
      idToken: {
        nonce: idToken && nonceOf(idToken.reveal()),
        nonceOptional: true,
        optional: true,
        ...defined({ subject }),
      },
    };
    const { authTime: _, ...tokens } = await this.#work.start(() => this.#tokenEndpoint.request(request));
    return {
      refreshToken,
      ...defined({ idToken, subject }),
      ...tokens,
      ...(grantedScope && !isWithin(grantedScope, tokens.scope) && { grantedScope }),
      ...defined({ profileID, authTime, sessionState }),
    };
  }

  /**
   * Revokes an access or refresh token and the other token of its pair (RFC 7009; service spec, POST /oauth/revoke).
   * @throws ProtocolError `revocation_unsupported` if the service has no revocation endpoint
   */
  revoke(token: Secret): Promise<void> {
    return this.#work.track(this.#tokenEndpoint.revoke(token));
  }

  /** @param revoke revokes the tokens of refused responses: it never throws, and takes two seconds at most */
  revokeRefusedWith(revoke: (token: Secret) => Promise<void>): void {
    this.#tokenEndpoint.revokeRefusedWith(revoke);
  }

  /**
   * @returns the URL that ends the session at the service (OIDC RP-Initiated Logout 1.0 section 2); undefined if the service has no
   * such endpoint.
   */
  async endSession(parameters: EndSessionParameters): Promise<string | undefined> {
    const { idTokenHint, postLogoutRedirectURI, state } = parameters;
    const { metadata, openIDClient, configuration } = await this.#metadata.server.get();
    if (metadata.end_session_endpoint === undefined) return undefined;
    const url = openIDClient.buildEndSessionUrl(configuration, {
      id_token_hint: idTokenHint.reveal(),
      post_logout_redirect_uri: postLogoutRedirectURI,
      ...(state !== undefined && { state }),
    });
    return url.href;
  }

  /** @returns the URL of the session check page (OIDC Session Management 1.0 section 3); undefined if there is none. */
  async checkSessionIframe(): Promise<string | undefined> {
    return (await this.#metadata.server.get()).metadata.check_session_iframe;
  }

  #randomSecrets(): TransactionSecrets {
    return transactionSecrets(this.#client.flow, randomText(SECRET_BYTES), () => randomText(SECRET_BYTES));
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

function epochSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
