import { isScopeText, scopeTokens } from '../../options/scopes.js';
import type { Grant } from '../../state/grants.js';
import { invalidRequest, Refusal } from '../refusal.js';
import type { GrantHandler } from './token-response.js';

/** Handles grant_type refresh_token. */
export const refreshTokenGrant: GrantHandler = (form, client, grants) => {
  const token = form.get('refresh_token');
  if (token === undefined) {
    return invalidRequest('refresh-token-required', 'refresh_token is missing');
  }
  const found = grants.findRefreshToken(token);
  if (found === undefined || found.grant.client !== client) {
    const reason = found && 'the refresh token was issued to another client';
    const description = 'The refresh token is unknown, expired or revoked';
    return new Refusal('refresh-token-valid', 'invalid_grant', description, { reason });
  }
  const { grant, state } = found;
  if (state === 'reused') {
    grants.revoke(grant);
    const description = 'The refresh token was already used; its tokens are revoked';
    return new Refusal('refresh-token-single-use', 'invalid_grant', description);
  }
  const scope = narrowedScope(form.get('scope'), grant);
  return scope instanceof Refusal ? scope : grants.rotate(grant, scope);
};

function narrowedScope(requested: string | undefined, { scope }: Grant): readonly string[] | Refusal {
  if (requested === undefined) return scope;
  const tokens = scopeTokens(requested);
  if (isScopeText(requested) && tokens.every((token) => scope.includes(token))) return tokens;
  return new Refusal('refresh-scope-subset', 'invalid_scope', 'scope contains a scope that was not granted');
}
