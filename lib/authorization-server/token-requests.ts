import { authorizationCodeGrant, type Configuration, refreshTokenGrant, tokenRevocation } from 'openid-client';
import { epochSeconds } from '../clock.js';
import { ConfigurationError, ProtocolError, SignInRequiredError } from '../errors.js';
import { formatScope, type Scope } from '../scope.js';
import { Secret } from '../secret.js';
import type { Expected } from './answer.js';
import { checkTransaction, readAuthorizationResponse } from './authorization-response.js';
import { type Configurations, throughOpenIDClient } from './configuration.js';
import { type IDTokenClaims, type IDTokenExpectation, validateIDToken } from './id-token.js';
import type { SigningKeys } from './jwks.js';
import { decodeJWT } from './jwt.js';
import type { Party } from './party.js';
import { readTokenResponse, refuseErrorResponse, type TokenResponse } from './token-response.js';
import { type TokenSet, tokenParams } from './token-set.js';
import type { Transaction } from './transaction.js';

export { TokenResponseError } from './token-response.js';

/** What a request to the token or revocation endpoint needs. */
export interface Wire {
  party: Party;
  configurations: Configurations;
  keys: SigningKeys;
}

/** What the ID Token of a grant must say, besides what every one must. */
type GrantExpectation = Pick<IDTokenExpectation, 'nonce' | 'nonceMayBeMissing' | 'subject' | 'authenticatedSince'> & {
  idTokenMayBeMissing?: boolean;
};

interface Granted {
  response: TokenResponse;
  claims: IDTokenClaims | undefined;
  expiresAt: number;
}

const TOKEN_RESPONSE: Expected = { name: 'the token response', code: 'token_response_malformed' };
const REVOCATION_RESPONSE: Expected = { name: 'the revocation response', code: 'revocation_response_malformed' };

/** Redeems the code of an authorization response, and checks all that came for it. Nothing is answered unless everything is right. */
export async function redeem(wire: Wire, query: URLSearchParams, transaction: Transaction): Promise<TokenSet> {
  const { party, configurations } = wire;
  checkTransaction(query, transaction, party);
  const metadata = await configurations.metadata();
  const issuerPromised = metadata.authorization_response_iss_parameter_supported === true;
  const { sessionState } = readAuthorizationResponse(query, party, issuerPromised);
  const since = authenticatedSince(party, transaction);
  const expected: GrantExpectation = {
    nonce: transaction.nonce,
    ...(since !== undefined && { authenticatedSince: since }),
  };
  const granted = await grant(wire, expected, (configuration) => grantCode(configuration, query, transaction));
  return {
    ...tokensOf(granted, granted.response.scope ?? transaction.scope),
    ...(granted.claims && { subject: granted.claims.subject, authTime: granted.claims.authTime }),
    ...(sessionState !== undefined && { sessionState }),
  } as TokenSet;
}

/** Exchanges the refresh token for a new pair (spec, POST /oauth/token; RFC 6749 section 6). The subject stays the same, the scope never grows. */
export async function refresh(wire: Wire, current: TokenSet, scope?: Scope): Promise<TokenSet> {
  const { refreshToken, idToken, subject, sessionState, authTime } = current;
  const allowed = current.grantedScope ?? current.scope;
  if (refreshToken === undefined) {
    throw new SignInRequiredError('refresh_token_missing', 'The service gave no refresh token. Please sign in again.');
  }
  if (scope !== undefined && !isWithin(scope, allowed)) {
    throw new ConfigurationError(
      'scope_not_granted',
      `A refresh can ask for no more than was granted: ${formatScope(allowed)}.`,
    );
  }
  const nonce = idToken && decodeJWT(idToken.reveal())?.claims.nonce;
  const expected: GrantExpectation = {
    nonce: typeof nonce === 'string' ? nonce : undefined,
    nonceMayBeMissing: true,
    idTokenMayBeMissing: true,
    ...(subject !== undefined && { subject }),
  };
  const asked = scope === undefined ? {} : { scope: formatScope(scope) };
  const granted = await grant(wire, expected, (configuration) =>
    refreshTokenGrant(configuration, refreshToken.reveal(), asked),
  );
  const now = granted.response.scope ?? [...(scope ?? allowed)];
  if (!isWithin(now, allowed)) {
    throw new ProtocolError('scope_widened', 'The service answered a refresh with more than was granted.');
  }
  return {
    ...{ refreshToken, ...(idToken && { idToken }) },
    ...tokensOf(granted, now),
    ...(isWithin(allowed, now) ? {} : { grantedScope: [...allowed] }),
    ...(subject !== undefined && { subject }),
    ...(authTime !== undefined && { authTime }),
    ...(sessionState !== undefined && { sessionState }),
  };
}

/** Revokes a token, and with it the other one of its pair (RFC 7009; spec, POST /oauth/revoke). */
export async function revoke({ configurations }: Wire, token: Secret | string): Promise<void> {
  const configuration = await configurations.forRevocation(async (answer, secrets) => {
    await refuseErrorResponse(answer, REVOCATION_RESPONSE, secrets);
    return new Response(null, { status: 200 });
  });
  const text = token instanceof Secret ? token.reveal() : token;
  await throughOpenIDClient(REVOCATION_RESPONSE, () => tokenRevocation(configuration, text));
}

function grantCode(configuration: Configuration, query: URLSearchParams, transaction: Transaction) {
  const { redirectURI, state, nonce, codeVerifier, maxAge } = transaction;
  const callback = new URL(redirectURI);
  callback.search = query.toString();
  return authorizationCodeGrant(configuration, callback, {
    expectedState: state,
    ...(nonce !== undefined && { expectedNonce: nonce }),
    ...(codeVerifier !== undefined && { pkceCodeVerifier: codeVerifier }),
    ...(maxAge !== undefined && { maxAge }),
  });
}

/** Asks for tokens. The answer is judged here first and by openid-client second; what either refuses is refused. */
async function grant(
  wire: Wire,
  expected: GrantExpectation,
  act: (configuration: Configuration) => Promise<unknown>,
): Promise<Granted> {
  const { party, configurations } = wire;
  const askedAt = party.clock.now();
  let granted: Granted | undefined;
  const configuration = await configurations.forFlow(async (answer, secrets) => {
    const response = await readTokenResponse(answer, TOKEN_RESPONSE, secrets);
    const claims = await checkIDToken(wire, response, expected);
    const { expiresIn = party.flow.accessTokenLifetime } = response;
    granted = { response, claims, expiresAt: askedAt + expiresIn * 1000 };
    return Response.json(plainMembers(response, claims !== undefined));
  });
  await throughOpenIDClient(TOKEN_RESPONSE, () => act(configuration));
  return granted as unknown as Granted;
}

async function checkIDToken(
  wire: Wire,
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

function tokensOf({ response, claims, expiresAt }: Granted, scope: Scope): TokenSet {
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

/** The time since which the person must have signed in at the service: by `max_age`, and by `prompt=login` since the start of this attempt. */
function authenticatedSince({ clock }: Party, { maxAge, prompt, bornAt }: Transaction): number | undefined {
  const limits = [
    ...(maxAge === undefined ? [] : [epochSeconds(clock) - maxAge]),
    ...(prompt?.split(' ').includes('login') ? [Math.floor(bornAt / 1000)] : []),
  ];
  return limits.length === 0 ? undefined : Math.max(...limits);
}

function isWithin(scope: Scope, allowed: Scope): boolean {
  return scope.every((word) => allowed.includes(word));
}
