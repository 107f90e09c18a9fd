import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { HostileAuthorizationServer, json } from '../authorization-server/hostile-authorization-server.js';
import { clientOf, codeOf, refusalOf, signIn } from '../authorization-server/sign-in.js';

type Members = Record<string, unknown>;

const REVOKE = '/oauth/revoke';

let hostile: HostileAuthorizationServer;
beforeAll(async () => {
  hostile = await HostileAuthorizationServer.start();
});
afterEach(() => hostile.reset());
afterAll(() => hostile.stop());

const withMember = (name: string, value: unknown) => (members: Members) => ({ ...members, [name]: value });
const revokedTokens = () => hostile.requestsTo(REVOKE).map(({ form }) => form.get('token'));

/** Captures the tokens of the latest token response, which `change` has altered. */
function respondWith(change: (members: Members) => Members): { latest: Members } {
  const issued: { latest: Members } = { latest: {} };
  hostile.behaviour.token = (members) => {
    issued.latest = change(members);
    return issued.latest;
  };
  return issued;
}

describe('the tokens of a token response that is refused are revoked', () => {
  test.each<[string, (members: Members) => Members, string]>([
    ['its ID Token is invalid', (members) => ({ ...members, id_token: `${members.id_token}x` }), 'id_token_invalid'],
    ['it has no ID Token', ({ id_token, ...members }) => members, 'id_token_missing'],
    ['its token type is not Bearer', withMember('token_type', 'mac'), 'response_malformed'],
    ['its lifetime is invalid', withMember('expires_in', 'soon'), 'response_malformed'],
    ['its scope is invalid', withMember('scope', 'ba"sic'), 'response_malformed'],
    ['its scope is an array', withMember('scope', ['openid']), 'response_malformed'],
    ['its access token is missing', ({ access_token, ...members }) => members, 'response_malformed'],
  ])('at a sign-in where %s', async (_, change, code) => {
    const issued = respondWith(change);
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe(code);
    expect(revokedTokens()).toEqual([issued.latest.refresh_token]);
  });

  test.each<[string, (members: Members) => Members]>([
    ['missing', ({ refresh_token, ...members }) => members],
    ['empty', withMember('refresh_token', '')],
    ['a number', withMember('refresh_token', 1)],
  ])('by the access token where the refresh token is %s', async (_, change) => {
    const issued = respondWith((members) => change({ ...members, token_type: 'mac' }));
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('response_malformed');
    expect(revokedTokens()).toEqual([issued.latest.access_token]);
  });

  test('in the profile flow', async () => {
    const issued = respondWith(withMember('token_type', 'mac'));
    expect(await codeOf(signIn(hostile, clientOf(hostile, { flow: 'profile' })))).toBe('response_malformed');
    expect(revokedTokens()).toEqual([issued.latest.refresh_token]);
  });

  test('where the signing keys are unavailable', async () => {
    hostile.behaviour.endpoints['/.well-known/jwks.json'] = (_, response) => json(response, 503, {});
    const issued = respondWith((members) => members);
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('service_error');
    expect(revokedTokens()).toEqual([issued.latest.refresh_token]);
  });

  test.each<[string, (tokens: TokenSet) => TokenSet, (members: Members) => Members, string]>([
    ['has more scope', (tokens) => tokens, withMember('scope', 'openid basic'), 'scope_widened'],
    [
      'is for another user',
      (tokens) => ({ ...tokens, subject: 'x' }),
      (members) => members,
      'id_token_subject_changed',
    ],
    ['is malformed', (tokens) => tokens, withMember('expires_in', -1), 'response_malformed'],
  ])('at a refresh whose response %s', async (_, changeTokens, change, code) => {
    const client = clientOf(hostile);
    const { tokens } = await signIn(hostile, client);
    const issued = respondWith(change);
    expect(await refusalOf(client.refresh(changeTokens(tokens)))).toBe(code);
    expect(revokedTokens()).toEqual([issued.latest.refresh_token]);
  });
});

describe('no token is revoked', () => {
  test('where the response is accepted', async () => {
    const client = clientOf(hostile);
    const { tokens } = await signIn(hostile, client);
    await client.refresh(tokens);
    expect(revokedTokens()).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['an error', { error: 'invalid_grant' }],
    ['no tokens', {}],
    ['no JSON object', 'x'],
  ])('where the response has %s', async (_, body) => {
    hostile.behaviour.token = () => body;
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('response_malformed');
    expect(revokedTokens()).toEqual([]);
  });

  test('twice, and the error remains that of the response, where the revocation fails', async () => {
    hostile.behaviour.endpoints[REVOKE] = (_, response) => json(response, 503, {});
    respondWith(withMember('token_type', 'mac'));
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('response_malformed');
    expect(revokedTokens()).toHaveLength(1);
  });
});

test('a revocation without a response delays the error by two seconds at most', async () => {
  hostile.behaviour.endpoints[REVOKE] = () => undefined;
  respondWith(withMember('token_type', 'mac'));
  const startedAt = performance.now();
  expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('response_malformed');
  // The time limit of other requests.
  expect(performance.now() - startedAt).toBeLessThan(10_000);
});
