import type { IssueIDToken } from '../id-token.js';
import type { Issued } from './grant-handler.js';

/** @returns the members of a token response (service spec: token response). `now` is in milliseconds. */
export async function tokenResponse(
  issued: Issued,
  now: number,
  issueIDToken: IssueIDToken,
): Promise<Record<string, unknown>> {
  const { accessToken, refreshToken, grant, requestedScope, isRefresh } = issued;
  const { client, accessScope } = grant;
  const isAsRequested =
    requestedScope.length === accessScope.length && requestedScope.every((token) => accessScope.includes(token));
  return {
    access_token: accessToken,
    token_type: 'bearer',
    // Rounded up: a millisecond may have passed since the tokens were issued.
    expires_in: Math.max(0, Math.ceil((grant.accessEndsAt - now) / 1000)),
    refresh_token: refreshToken,
    ...((client.flow === 'openid' || !isAsRequested) && { scope: accessScope.join(' ') }),
    ...(grant.scope.includes('openid') && { id_token: await issueIDToken(grant, { now, accessToken, isRefresh }) }),
  };
}
