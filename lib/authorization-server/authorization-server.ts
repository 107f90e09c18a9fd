import type { Scope } from '../scope.js';
import { Secret } from '../secret.js';
import {
  type AuthorizationParameters,
  type AuthorizationRequest,
  startTransaction,
  type Transaction,
} from './authorization-request.js';
import { type AuthorizationServerOptions, resolveClientConfig } from './client-config.js';
import { type ExpectedDocument, readDocument } from './documents.js';
import { createSigningKeys } from './jwks.js';
import { createOAuthClient, send } from './oauth-client.js';
import { redeem, refresh, type TokenRequestContext } from './token-requests.js';
import type { TokenSet } from './token-set.js';

export type { AuthorizationParameters, AuthorizationRequest, AuthorizationServerOptions };

/** Holds the parameters of a logout request (OIDC RP-Initiated Logout 1.0 section 2). */
export interface EndSessionParameters {
  /** The ID Token of the login that ends. The service requires it. */
  idTokenHint?: Secret | undefined;
  /** The URL that the service redirects to afterwards, exactly as it is registered. */
  postLogoutRedirectURI: string;
  /** Returned on that redirect. */
  state: string;
}

/** Sends the requests of one client to the authorization server. No request is sent before a method needs it. */
export interface AuthorizationServer {
  /** Starts a login attempt. */
  request(parameters?: AuthorizationParameters): Promise<AuthorizationRequest>;
  /** Checks an authorization response against its transaction and exchanges the code for tokens, all checked. */
  redeem(callback: URLSearchParams, transaction: Transaction): Promise<TokenSet>;
  /** Exchanges the refresh token for a new pair, which revokes the old one (service spec, "States and transitions"). */
  refresh(current: TokenSet, scope?: Scope): Promise<TokenSet>;
  /** Revokes an access or refresh token and the other token of its pair (RFC 7009; service spec, POST /oauth/revoke). */
  revoke(token: Secret | string): Promise<void>;
  /** @returns the URL that ends the session at the service; undefined without an ID Token or such an endpoint. */
  endSession(parameters: EndSessionParameters): Promise<string | undefined>;
  /** @returns the URL of the session check page (OIDC Session Management 1.0 section 3); undefined where there is none. */
  checkSessionIframe(): Promise<string | undefined>;
}

const JWKS: ExpectedDocument = {
  name: 'the key set',
  code: 'jwks_malformed',
  types: ['application/json', 'application/jwk-set+json'],
};

/** @throws ConfigurationError for options that cannot be used */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const client = resolveClientConfig(options);
  const oauth = createOAuthClient(client);
  const keys = createSigningKeys(client.clock, async () => {
    const { jwks_uri } = await oauth.metadata();
    const init = { headers: { accept: 'application/json' }, redirect: 'manual' } as const;
    return await readDocument(await send(client, jwks_uri as string, init), JWKS);
  });
  const context: TokenRequestContext = { client, oauth, keys };
  return {
    async request(parameters = {}) {
      const { query, transaction } = startTransaction(client, parameters);
      return { url: await oauth.authorizationURL(query), transaction };
    },
    redeem: (callback, transaction) => redeem(context, callback, transaction),
    refresh: (current, scope) => refresh(context, current, scope),
    revoke: (token) => oauth.revoke(token instanceof Secret ? token.reveal() : token),
    async checkSessionIframe() {
      const { check_session_iframe: address } = await oauth.metadata();
      return typeof address === 'string' ? address : undefined;
    },
    async endSession({ idTokenHint, postLogoutRedirectURI, state }) {
      if (idTokenHint === undefined) return undefined;
      return await oauth.endSessionURL({
        id_token_hint: idTokenHint.reveal(),
        post_logout_redirect_uri: postLogoutRedirectURI,
        state,
      });
    },
  };
}
