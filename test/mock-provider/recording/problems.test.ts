import { expect, test } from '@jest/globals';
import { provider } from '../../helpers/provider.js';
import { codeOf, redeem } from '../wire.js';

test('provider.problems names the fix, the request and the login', async () => {
  const { openid } = provider.clients;
  const code = await codeOf(provider, openid);
  await redeem(provider, openid, code, { code_verifier: 'x'.repeat(43) });
  const [problem] = provider.problems;
  expect(problem).toEqual({
    at: expect.any(Number),
    endpoint: '/oauth/token',
    clientID: openid.clientID,
    error: 'invalid_grant',
    reason: 'code_verifier is malformed, or does not match code_challenge',
    rule: 'code-verifier-matches',
    source: 'RFC 7636 section 4.6',
    fix: 'Send the code_verifier of this login; store it with state, not in one place for all logins.',
    request: provider.requests.length,
    login: 1,
  });
  expect(provider.requests[(problem?.request ?? 0) - 1]).toMatchObject({ path: '/oauth/token', login: 1 });
});
