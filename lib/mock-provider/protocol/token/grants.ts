import type { Parameters } from '../../parameters.js';
import { Refusal } from '../../refusal.js';
import type { Client } from '../../stores/clients.js';
import type { GrantStore, IssuedTokens } from '../../stores/grants.js';
import { verifierMatches } from '../pkce.js';
import { isScopeText, scopeWords } from '../scopes.js';

/** Tokens that were issued, and for an ID Token: the nonce, at a login. */
export interface Issued extends IssuedTokens {
  readonly nonce: string | undefined;
}

type GrantHandler = (form: Parameters, client: Client, grants: GrantStore) => Issued | Refusal;

function refuse(error: string, description: string, decision: number, source: string): Refusal {
  return new Refusal(error, description, { decision, source });
}

function authorizationCode(form: Parameters, client: Client, grants: GrantStore): Issued | Refusal {
  const value = form.get('code');
  const redirectURI = form.get('redirect_uri');
  if (value === undefined || redirectURI === undefined) {
    return refuse(
      'invalid_request',
      `${value === undefined ? 'code' : 'redirect_uri'} is missing`,
      48,
      'RFC 6749 section 4.1.3',
    );
  }
  const spent = grants.spentCode(value);
  if (spent !== undefined && spent.client === client) {
    spent.isRevoked = true;
    return refuse('invalid_grant', 'The code was used before; what it gave is revoked', 50, 'RFC 6749 section 4.1.2');
  }
  const code = grants.code(value);
  const source = 'RFC 6749 section 5.2';
  if (code === undefined || code.grant.client !== client || code.grant.isRevoked)
    return refuse('invalid_grant', 'The code is unknown or expired, or not this client of theirs', 48, source);
  if (code.redirectURI !== redirectURI)
    return refuse(
      'invalid_grant',
      'redirect_uri is not the one of the authorization request',
      48,
      'RFC 6749 section 4.1.3',
    );
  const verifier = form.get('code_verifier');
  if (code.codeChallenge === undefined) {
    if (verifier !== undefined)
      return refuse(
        'invalid_grant',
        'code_verifier came for a code without code_challenge',
        49,
        'RFC 9700 section 4.8.2',
      );
  } else if (verifier === undefined || !verifierMatches(verifier, code.codeChallenge)) {
    return refuse('invalid_grant', 'code_verifier does not match', 49, 'RFC 7636 section 4.6');
  }
  return { ...grants.redeem(value, code), nonce: code.grant.nonce };
}

function refreshToken(form: Parameters, client: Client, grants: GrantStore): Issued | Refusal {
  const value = form.get('refresh_token');
  if (value === undefined) return refuse('invalid_request', 'refresh_token is missing', 52, 'RFC 6749 section 6');
  const pair = grants.byRefreshToken(value);
  const source = 'RFC 6749 section 5.2';
  if (pair === undefined || pair.grant.client !== client || pair.grant.isRevoked)
    return refuse('invalid_grant', 'The refresh token is unknown, expired or revoked', 52, source);
  if (pair.isSpent) {
    pair.grant.isRevoked = true;
    return refuse(
      'invalid_grant',
      'The refresh token was used before; what came of it is revoked',
      55,
      'RFC 9700 section 4.14.2',
    );
  }
  const asked = form.get('scope');
  if (asked !== undefined && !isScopeText(asked.trim()))
    return refuse('invalid_scope', 'scope has characters that no scope has', 54, 'RFC 6749 section 3.3');
  const scope = asked === undefined ? pair.grant.scope : scopeWords(asked);
  if (!scope.every((word) => pair.grant.scope.includes(word)))
    return refuse('invalid_scope', 'scope goes beyond what was granted', 54, 'RFC 6749 section 6');
  return { ...grants.rotate(pair, scope), nonce: undefined };
}

/** The grant types there are (decision 47). */
export const GRANT_TYPES: ReadonlyMap<string, GrantHandler> = new Map([
  ['authorization_code', authorizationCode],
  ['refresh_token', refreshToken],
]);
