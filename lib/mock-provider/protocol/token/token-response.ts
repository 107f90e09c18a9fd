import type { IssueIDToken } from '../id-token.js';
import type { Issued } from './grant-handler.js';

/** @returns the members of a token response (service spec: token response). */
export async function tokenResponse(issued: Issued, issueIDToken: IssueIDToken): Promise<Record<string, unknown>> {
  const { accessToken, refreshToken, grant, nonce } = issued;
  const { client, accessScope, storedAt: now } = grant;
  return {
    access_token: accessToken,
    token_type: 'bearer',
    expires_in: Math.round((grant.accessEndsAt - now) / 1000),
    refresh_token: refreshToken,
    ...(client.flow === 'openid' && { scope: accessScope.join(' ') }),
    ...(accessScope.includes('openid') && {
      id_token: await issueIDToken(grant.authorization, { now, accessToken, nonce }),
    }),
  };
}
