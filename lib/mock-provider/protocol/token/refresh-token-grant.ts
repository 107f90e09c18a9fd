import type { Grant } from '../../state/grants.js';
import { Refusal } from '../refusal.js';
import { isScopeText, scopeWords } from '../scopes.js';
import type { GrantHandler } from './grant-handler.js';

/** grant_type refresh_token (decisions 52 to 56). */
export const refreshTokenGrant: GrantHandler = (form, client, grants) => {
  const token = form.get('refresh_token');
  if (token === undefined) {
    return new Refusal('invalid_request', 'refresh_token is missing', { decision: 52, source: 'RFC 6749 section 6' });
  }
  const found = grants.findRefreshToken(token);
  if (found === undefined || found.grant.client !== client) {
    return new Refusal('invalid_grant', 'The refresh token is unknown, expired or revoked', {
      decision: 52,
      source: 'RFC 6749 section 5.2',
      reason: found && 'the refresh token was issued to another client',
    });
  }
  const { grant, state } = found;
  if (state === 'used') {
    grants.revoke(grant);
    return new Refusal('invalid_grant', 'The refresh token was used before: what came of it is revoked', {
      decision: 55,
      source: 'RFC 9700 section 4.14.2',
    });
  }
  const asked = form.get('scope');
  const scope = narrowed(asked, grant);
  if (scope instanceof Refusal) return scope;
  const tokens = state === 'again' ? grants.pairOf(grant) : grants.rotate(grant, scope);
  return { ...tokens, askedScope: asked === undefined ? grant.askedScope : scope, isRefresh: true };
};

/** Decision 54: the same scope or a part of it. */
function narrowed(asked: string | undefined, { scope }: Grant): readonly string[] | Refusal {
  if (asked === undefined) return scope;
  const words = scopeWords(asked);
  if (isScopeText(asked) && words.every((word) => scope.includes(word))) return words;
  return new Refusal('invalid_scope', 'scope holds a word that was not granted', {
    decision: 54,
    source: 'RFC 6749 section 6',
  });
}
