import type { IssueIDToken } from '../id-token.js';
import type { Issued } from './grant-handler.js';

interface Context {
  /** Milliseconds. */
  readonly now: number;
  readonly issueIDToken: IssueIDToken;
}

/** @returns the members of a token response (service spec: token response). */
export async function tokenResponse(issued: Issued, { now, issueIDToken }: Context): Promise<Record<string, unknown>> {
  const { accessToken, refreshToken, grant, nonce } = issued;
  const { client, accessScope } = grant;
  return {
    access_token: accessToken,
    token_type: 'bearer',
    // Rounded up: a millisecond may have passed since the tokens were issued.
    expires_in: Math.max(0, Math.ceil((grant.accessEndsAt - now) / 1000)),
    refresh_token: refreshToken,
    ...(client.flow === 'openid' && { scope: accessScope.join(' ') }),
    ...(accessScope.includes('openid') && {
      id_token: await issueIDToken(grant.authorization, { now, accessToken, nonce }),
    }),
  };
}
