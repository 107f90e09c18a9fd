import { authorizationCodeGrant, type Configuration, refreshTokenGrant, tokenRevocation } from 'openid-client';
import { type Clock, epochSeconds } from '../clock.js';
import { ConfigurationError, ProtocolError, SignInRequiredError } from '../errors.js';
import { formatScope, type Scope } from '../scope.js';
import { Secret } from '../secret.js';
import { checkTransaction, readAuthorizationResponse } from './authorization-response.js';
import { callOpenIDClient } from './configuration.js';
import { type GrantExpectation, requestGrant, type TokenRequestContext, tokensOf } from './grant.js';
import type { ExpectedDocument } from './json-response.js';
import { decodeJWT } from './jwt.js';
import { refuseErrorResponse } from './token-response.js';
import type { TokenSet } from './token-set.js';
import type { Transaction } from './transaction.js';

const REVOCATION_RESPONSE: ExpectedDocument = {
  name: 'the revocation response',
  code: 'revocation_response_malformed',
};

/** Redeems the code of an authorization response, and checks all that came for it. Nothing is answered unless everything is right. */
export async function redeem(
  wire: TokenRequestContext,
  query: URLSearchParams,
  transaction: Transaction,
): Promise<TokenSet> {
  const { party, configurations } = wire;
  checkTransaction(query, transaction, party);
  const metadata = await configurations.metadata();
  const issuerPromised = metadata.authorization_response_iss_parameter_supported === true;
  const { sessionState } = readAuthorizationResponse(query, party, issuerPromised);
  const since = authenticatedSince(party.clock, transaction);
  const expected: GrantExpectation = {
    nonce: transaction.nonce,
    ...(since !== undefined && { authenticatedSince: since }),
  };
  const granted = await requestGrant(wire, expected, (configuration) => grantCode(configuration, query, transaction));
  return {
    ...tokensOf(granted, granted.response.scope ?? transaction.scope),
    ...granted.claims,
    ...(sessionState !== undefined && { sessionState }),
  };
}

/** Exchanges the refresh token for a new pair (spec, POST /oauth/token; RFC 6749 section 6). The subject stays the same, the scope never grows. */
export async function refresh(wire: TokenRequestContext, current: TokenSet, scope?: Scope): Promise<TokenSet> {
  const { refreshToken, idToken, subject, sessionState, authTime } = current;
  const allowed = current.grantedScope ?? current.scope;
  if (refreshToken === undefined) {
    throw new SignInRequiredError('refresh_token_missing', 'The service gave no refresh token. Please sign in again.');
  }
  const asked = scope === undefined ? {} : { scope: formatScope(askedAgain(scope, allowed)) };
  // Before the refresh token is used up: what came for it could not be checked without the keys, and would be lost.
  if (wire.party.flow.expectsIDToken) await wire.keys.ready();
  const granted = await requestGrant(wire, asBefore(current), (configuration) =>
    refreshTokenGrant(configuration, refreshToken.reveal(), asked),
  );
  const now = granted.response.scope ?? scope ?? allowed;
  if (!isWithin(now, allowed)) {
    throw new ProtocolError('scope_widened', 'The service answered a refresh with more than was granted.');
  }
  return {
    refreshToken,
    ...(idToken && { idToken }),
    ...tokensOf(granted, now),
    ...(isWithin(allowed, now) ? {} : { grantedScope: [...allowed] }),
    ...(subject !== undefined && { subject }),
    ...(authTime !== undefined && { authTime }),
    ...(sessionState !== undefined && { sessionState }),
  };
}

/** Revokes a token, and with it the other one of its pair (RFC 7009; spec, POST /oauth/revoke). */
export async function revoke({ configurations }: TokenRequestContext, token: Secret | string): Promise<void> {
  const configuration = await configurations.forRevocation(async (answer, secrets) => {
    await refuseErrorResponse(answer, REVOCATION_RESPONSE, secrets);
    return new Response(null, { status: 200 });
  });
  const text = token instanceof Secret ? token.reveal() : token;
  await callOpenIDClient(REVOCATION_RESPONSE, () => tokenRevocation(configuration, text));
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

function askedAgain(scope: Scope, allowed: Scope): Scope {
  if (isWithin(scope, allowed)) return scope;
  const message = `A refresh can ask for no more than was granted: ${formatScope(allowed)}.`;
  throw new ConfigurationError('scope_not_granted', message);
}

/** An ID Token that comes by a refresh may be missing, and so may its nonce; what it says is what the first one said (OIDC Core section 12.2). */
function asBefore({ idToken, subject }: TokenSet): GrantExpectation {
  const nonce = idToken && decodeJWT(idToken.reveal())?.claims.nonce;
  return {
    nonce: typeof nonce === 'string' ? nonce : undefined,
    nonceMayBeMissing: true,
    idTokenMayBeMissing: true,
    ...(subject !== undefined && { subject }),
  };
}

/** The time since which the person must have signed in at the service: by `max_age`, and by `prompt=login` since the start of this attempt. */
function authenticatedSince(clock: Clock, { maxAge, prompt, bornAt }: Transaction): number | undefined {
  const limits = [
    ...(maxAge === undefined ? [] : [epochSeconds(clock) - maxAge]),
    ...(prompt?.split(' ').includes('login') ? [Math.floor(bornAt / 1000)] : []),
  ];
  return limits.length === 0 ? undefined : Math.max(...limits);
}

function isWithin(scope: Scope, allowed: Scope): boolean {
  return scope.every((word) => allowed.includes(word));
}
