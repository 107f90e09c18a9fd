import { type Clock, epochSeconds } from '../clock.js';
import { ConfigurationError, ProtocolError, SignInRequiredError } from '../errors.js';
import { formatScope, type Scope } from '../scope.js';
import { Secret } from '../secret.js';
import type { Transaction } from './authorization-request.js';
import { checkTransaction, readAuthorizationResponse } from './authorization-response.js';
import type { ClientConfig } from './client-config.js';
import { type IDTokenClaims, type IDTokenExpectation, nonceOf, validateIDToken } from './id-token.js';
import type { SigningKeys } from './jwks.js';
import type { OAuthClient } from './oauth-client.js';
import type { TokenResponse } from './token-response.js';
import { type TokenSet, tokenParams } from './token-set.js';

/** Holds the parts that a token request needs. */
export interface TokenRequestContext {
  client: ClientConfig;
  oauth: OAuthClient;
  keys: SigningKeys;
}

interface TokenRequest {
  grantType: 'authorization_code' | 'refresh_token';
  parameters: Record<string, string>;
  /** Applies where the response has no scope. */
  requestedScope: Scope;
  idToken: Pick<IDTokenExpectation, 'nonce' | 'nonceOptional' | 'subject' | 'authenticatedSince'> & {
    /** A refresh may return no ID Token (OIDC Core section 12.2). */
    optional?: boolean;
  };
}

/**
 * Checks an authorization response against its transaction, exchanges its code for tokens and checks the token response
 * (RFC 6749 section 4.1.3, OIDC Core section 3.1.3).
 */
export async function redeem(
  context: TokenRequestContext,
  query: URLSearchParams,
  transaction: Transaction,
): Promise<TokenSet> {
  const { client, oauth } = context;
  checkTransaction(query, transaction, client);
  const metadata = await oauth.metadata();
  const requiresIssuer = metadata.authorization_response_iss_parameter_supported === true;
  const { code, sessionState } = readAuthorizationResponse(query, client, requiresIssuer);
  const { redirectURI, codeVerifier, nonce, scope } = transaction;
  const since = authenticatedSince(client.clock, transaction);
  const tokens = await requestTokens(context, {
    grantType: 'authorization_code',
    parameters: {
      code,
      redirect_uri: redirectURI,
      ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
    },
    requestedScope: scope,
    idToken: { nonce, ...(since !== undefined && { authenticatedSince: since }) },
  });
  return { ...tokens, ...(sessionState !== undefined && { sessionState }) };
}

/**
 * Exchanges the refresh token for a new pair (service spec, POST /oauth/token; RFC 6749 section 6). The subject stays the
 * same, and the scope never exceeds the granted one.
 */
export async function refresh(context: TokenRequestContext, current: TokenSet, scope?: Scope): Promise<TokenSet> {
  const { refreshToken, idToken, subject, sessionState, authTime } = current;
  const grantedScope = current.grantedScope ?? current.scope;
  if (refreshToken === undefined) {
    throw new SignInRequiredError('refresh_token_missing', 'The service sent no refresh token. Please sign in again.');
  }
  if (scope !== undefined && !isWithin(scope, grantedScope)) {
    throw new ConfigurationError(
      'scope_not_granted',
      `A refresh cannot request more than the granted scope: ${formatScope(grantedScope)}.`,
    );
  }
  // Before the refresh token is used: without the keys its response could not be checked, and the tokens would be lost.
  if (context.client.flow.expectsIDToken) await context.keys.ready();
  const { authTime: _, ...tokens } = await requestTokens(context, {
    grantType: 'refresh_token',
    parameters: { refresh_token: refreshToken.reveal(), ...(scope !== undefined && { scope: formatScope(scope) }) },
    requestedScope: scope ?? grantedScope,
    idToken: {
      // A refreshed ID Token may repeat the nonce of the first one (OIDC Core section 12.2).
      nonce: idToken && nonceOf(idToken.reveal()),
      nonceOptional: true,
      optional: true,
      ...(subject !== undefined && { subject }),
    },
  });
  if (!isWithin(tokens.scope, grantedScope)) {
    throw new ProtocolError('scope_widened', 'The refreshed tokens have a scope that was not granted.');
  }
  return {
    refreshToken,
    ...(idToken && { idToken }),
    ...(subject !== undefined && { subject }),
    ...tokens,
    ...(isWithin(grantedScope, tokens.scope) ? {} : { grantedScope: [...grantedScope] }),
    ...(authTime !== undefined && { authTime }),
    ...(sessionState !== undefined && { sessionState }),
  };
}

async function requestTokens(context: TokenRequestContext, request: TokenRequest): Promise<TokenSet> {
  const { client, oauth } = context;
  const requestedAt = client.clock.now();
  const response = await oauth.requestTokens(request.grantType, request.parameters);
  const claims = await checkIDToken(context, response, request.idToken);
  const { accessToken, refreshToken, idToken, members, expiresIn = client.flow.accessTokenLifetime } = response;
  const { id_token: _, ...otherMembers } = members;
  return {
    accessToken: new Secret(accessToken),
    ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
    ...(claims && idToken !== undefined && { idToken: new Secret(idToken) }),
    expiresAt: requestedAt + expiresIn * 1000,
    scope: [...(response.scope ?? request.requestedScope)],
    params: tokenParams(claims ? members : otherMembers),
    ...claims,
  };
}

async function checkIDToken(
  { client, keys }: TokenRequestContext,
  { idToken, accessToken }: TokenResponse,
  expected: TokenRequest['idToken'],
): Promise<IDTokenClaims | undefined> {
  const { issuer, clientID, clock, flow } = client;
  if (!flow.expectsIDToken || (idToken === undefined && expected.optional)) return undefined;
  if (idToken === undefined) {
    throw new ProtocolError('id_token_missing', 'The token response has no ID Token.');
  }
  return validateIDToken(idToken, { ...expected, issuer, clientID, accessToken, now: epochSeconds(clock) }, keys);
}

/** @returns the earliest accepted authentication time in seconds: by `max_age`, and the start of the login by `prompt=login`. */
function authenticatedSince(clock: Clock, { maxAge, prompt, createdAt }: Transaction): number | undefined {
  const limits = [
    ...(maxAge === undefined ? [] : [epochSeconds(clock) - maxAge]),
    ...(prompt?.split(' ').includes('login') ? [Math.floor(createdAt / 1000)] : []),
  ];
  return limits.length === 0 ? undefined : Math.max(...limits);
}

function isWithin(scope: Scope, allowed: Scope): boolean {
  return scope.every((token) => allowed.includes(token));
}
