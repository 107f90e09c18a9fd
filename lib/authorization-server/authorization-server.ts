import type { Scope } from '../scope.js';
import type { Secret } from '../secret.js';
import {
  type AuthorizationParameters,
  type AuthorizationRequest,
  authorizationRequest,
} from './authorization-request.js';
import { type AuthorizationServerOptions, resolveClientConfig } from './client-config.js';
import { ask, createConfigurations } from './configuration.js';
import { type EndSessionParameters, endSessionURL } from './end-session.js';
import type { TokenRequestContext } from './grant.js';
import { type ExpectedDocument, malformed, readJSONObject, throwIfUnavailable } from './json-response.js';
import { createSigningKeys } from './jwks.js';
import { redeem, refresh, revoke } from './token-requests.js';
import type { TokenSet } from './token-set.js';
import type { Transaction } from './transaction.js';

export type { AuthorizationParameters, AuthorizationRequest, AuthorizationServerOptions, EndSessionParameters };

/** The authorization server, in the five things that are asked of it. */
export interface AuthorizationServer {
  /** Starts a login attempt: where to send the person, and what to remember until the answer comes. */
  request(parameters?: AuthorizationParameters): Promise<AuthorizationRequest>;
  /** Ends it: checks the authorization response against its transaction, redeems the code and checks all that comes for it. */
  redeem(callback: URLSearchParams, transaction: Transaction): Promise<TokenSet>;
  /** Exchanges the refresh token for a new pair. The old pair is revoked by that (spec, "States and transitions"). */
  refresh(current: TokenSet, scope?: Scope): Promise<TokenSet>;
  /** Revokes an access or refresh token, and the other one of its pair with it. */
  revoke(token: Secret | string): Promise<void>;
  /** Where to send the person to end the session at the service; undefined where the service cannot be asked to. */
  endSession(parameters: EndSessionParameters): Promise<string | undefined>;
  /** Where the page is that tells whether the session at the service has changed (OIDC Session Management 1.0 section 3); undefined where there is none. */
  checkSessionIframe(): Promise<string | undefined>;
}

const JWKS: ExpectedDocument = {
  name: 'the key set',
  code: 'jwks_malformed',
  types: ['application/json', 'application/jwk-set+json'],
};

/** Speaks to one authorization server for one client. Asks nothing of the network until a verb needs it. */
export function createAuthorizationServer(options: AuthorizationServerOptions): AuthorizationServer {
  const party = resolveClientConfig(options);
  const configurations = createConfigurations(party);
  const keys = createSigningKeys(party.clock, async () => {
    const { jwks_uri } = await configurations.metadata();
    const response = await ask(party, jwks_uri as string, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
    });
    throwIfUnavailable(response, JWKS);
    if (response.status !== 200) throw malformed(JWKS, `came with status ${response.status}`);
    return readJSONObject(response, JWKS);
  });
  const wire: TokenRequestContext = { party, configurations, keys };
  return {
    request: async (parameters = {}) => authorizationRequest(party, await configurations.forFlow(), parameters),
    redeem: (callback, transaction) => redeem(wire, callback, transaction),
    refresh: (current, scope) => refresh(wire, current, scope),
    revoke: (token) => revoke(wire, token),
    checkSessionIframe: async () => {
      const { check_session_iframe: address } = await configurations.metadata();
      return typeof address === 'string' ? address : undefined;
    },
    endSession: async (parameters) => endSessionURL(await configurations.forFlow(), parameters),
  };
}
