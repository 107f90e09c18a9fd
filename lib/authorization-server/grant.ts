import type { Configuration } from 'openid-client';
import { epochSeconds } from '../clock.js';
import { ProtocolError } from '../errors.js';
import { formatScope, type Scope } from '../scope.js';
import { Secret } from '../secret.js';
import type { ClientConfig } from './client-config.js';
import { type Configurations, callOpenIDClient } from './configuration.js';
import { type IDTokenClaims, type IDTokenExpectation, validateIDToken } from './id-token.js';
import type { ExpectedDocument } from './json-response.js';
import type { SigningKeys } from './jwks.js';
import { readTokenResponse, type TokenResponse } from './token-response.js';
import { type TokenSet, tokenParams } from './token-set.js';

/** What a request to the token or revocation endpoint needs. */
export interface TokenRequestContext {
  party: ClientConfig;
  configurations: Configurations;
  keys: SigningKeys;
}

/** What the ID Token of a grant must say, besides what every one must. */
export type GrantExpectation = Pick<
  IDTokenExpectation,
  'nonce' | 'nonceMayBeMissing' | 'subject' | 'authenticatedSince'
> & {
  idTokenMayBeMissing?: boolean;
};

/** What came of it, all of it checked. */
export interface GrantResult {
  response: TokenResponse;
  claims: IDTokenClaims | undefined;
  expiresAt: number;
}

const TOKEN_RESPONSE: ExpectedDocument = { name: 'the token response', code: 'token_response_malformed' };

/** Asks for tokens. The answer is judged here first and by openid-client second; what either refuses is refused. */
export async function requestGrant(
  wire: TokenRequestContext,
  expected: GrantExpectation,
  act: (configuration: Configuration) => Promise<unknown>,
): Promise<GrantResult> {
  const { party, configurations } = wire;
  const askedAt = party.clock.now();
  let granted!: GrantResult;
  const configuration = await configurations.forFlow(async (answer, secrets) => {
    const response = await readTokenResponse(answer, TOKEN_RESPONSE, secrets);
    const claims = await checkIDToken(wire, response, expected);
    const { expiresIn = party.flow.accessTokenLifetime } = response;
    granted = { response, claims, expiresAt: askedAt + expiresIn * 1000 };
    return Response.json(plainMembers(response, claims !== undefined));
  });
  await callOpenIDClient(TOKEN_RESPONSE, () => act(configuration));
  return granted;
}

async function checkIDToken(
  wire: TokenRequestContext,
  response: TokenResponse,
  expected: GrantExpectation,
): Promise<IDTokenClaims | undefined> {
  const { party, keys } = wire;
  const { idToken, accessToken } = response;
  if (!party.flow.expectsIDToken) return undefined;
  if (idToken === undefined) {
    if (expected.idTokenMayBeMissing) return undefined;
    throw new ProtocolError('id_token_missing', 'Nobody is signed in: the token response has no ID Token.');
  }
  const { issuer, clientID, clock } = party;
  return validateIDToken(idToken, { ...expected, issuer, clientID, accessToken, now: epochSeconds(clock) }, keys);
}

/** The token response as openid-client is to see it: only what was checked, in its plainest form. */
function plainMembers(
  { accessToken, refreshToken, idToken, expiresIn, scope }: TokenResponse,
  hasIDToken: boolean,
): Record<string, unknown> {
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: expiresIn,
    refresh_token: refreshToken,
    scope: scope && formatScope(scope),
    id_token: hasIDToken ? idToken : undefined,
  };
}

/** @returns the tokens as they are kept. */
export function tokensOf({ response, claims, expiresAt }: GrantResult, scope: Scope): TokenSet {
  const { accessToken, refreshToken, idToken, members } = response;
  const { id_token, ...others } = members;
  return {
    accessToken: new Secret(accessToken),
    ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
    ...(claims && idToken !== undefined && { idToken: new Secret(idToken) }),
    expiresAt,
    scope: [...scope],
    params: tokenParams(claims ? members : others),
  };
}
