import { describe, expect, test } from '@jest/globals';
import type { TokenSet } from '../../lib/authorization-server/token-set.js';
import { hostile } from './hostile.js';
import { json } from './hostile-authorization-server.js';
import { clientOf, errorOf, type Members, refusalOf, signIn, testClock, withMember, without } from './sign-in.js';

describe('a refresh', () => {
  async function signedIn(scope = ['openid']) {
    const clock = testClock();
    const client = clientOf(hostile, { clock });
    const { tokens, transaction } = await signIn(hostile, client, { scope });
    hostile.requests.length = 0;
    return { client, clock, tokens, transaction };
  }

  test('returns a new pair and a new ID Token of the same user', async () => {
    const { client, clock, tokens } = await signedIn();
    clock.advance(1000);
    hostile.now += 1000;
    const next = await client.refresh(tokens);
    const [request] = hostile.requestsTo('/oauth/token');
    expect(Object.fromEntries(request?.form ?? [])).toEqual({
      grant_type: 'refresh_token',
      refresh_token: tokens.refreshToken?.reveal(),
    });
    expect(request?.headers.authorization).toMatch(/^Basic /);
    for (const name of ['accessToken', 'refreshToken', 'idToken'] as const) {
      expect(next[name]?.reveal()).not.toBe(tokens[name]?.reveal());
    }
    expect(next).toMatchObject({
      subject: hostile.subject,
      scope: ['openid'],
      authTime: tokens.authTime,
      sessionState: tokens.sessionState,
    });
    expect(next.expiresAt).toBe(tokens.expiresAt + 1_000_000);
  });

  test('does not use the refresh token while the keys cannot be fetched: its ID Token could not be checked', async () => {
    const { client, clock, tokens } = await signedIn();
    clock.advance(1000);
    hostile.now += 1000;
    hostile.behaviour.endpoints['/.well-known/jwks.json'] = (_, response) => response.writeHead(503).end();
    expect(await errorOf(client.refresh(tokens))).toMatchObject({ code: 'service_error', retryable: true });
    expect(hostile.requestsTo('/oauth/token')).toEqual([]);
    hostile.behaviour.endpoints = {};
    expect((await client.refresh(tokens)).subject).toBe(hostile.subject);
  });

  test('authenticates with form fields in the profile flow', async () => {
    const client = clientOf(hostile, { flow: 'profile' });
    const { tokens } = await signIn(hostile, client);
    hostile.requests.length = 0;
    hostile.behaviour.token = without('scope');
    expect((await client.refresh(tokens)).scope).toEqual(['basic']);
    expect(hostile.requestsTo('/oauth/token')[0]?.form.get('client_secret')).toBe(hostile.clientSecret);
  });

  test('retains the old refresh token and ID Token when the response has none', async () => {
    const { client, tokens } = await signedIn();
    hostile.behaviour.token = (members) => without('refresh_token')(without('id_token')(members));
    const next = await client.refresh(tokens);
    expect(next.refreshToken?.reveal()).toBe(tokens.refreshToken?.reveal());
    expect(next.idToken?.reveal()).toBe(tokens.idToken?.reveal());
    expect(next.accessToken.reveal()).not.toBe(tokens.accessToken.reveal());
    expect(next.subject).toBe(hostile.subject);
  });

  test.each<[string, (claims: Members) => Members, string]>([
    ['another issuer', withMember('iss', 'https://mallet.example'), 'id_token_invalid iss'],
    ['another subject', withMember('sub', 'another-user'), 'id_token_subject_changed'],
    ['another audience', withMember('aud', 'other'), 'id_token_invalid aud'],
    ['another azp', withMember('azp', 'other'), 'id_token_invalid azp'],
    ['the at_hash of another token', withMember('at_hash', 'AAAAAAAAAAAAAAAAAAAAAA'), 'id_token_invalid at_hash'],
    ['another nonce', withMember('nonce', 'other'), 'id_token_invalid nonce'],
    ['an expiry in the past', withMember('exp', 1_000_000_000), 'id_token_expired'],
  ])('rejects an ID Token with %s', async (_, change, code) => {
    const { client, tokens } = await signedIn();
    hostile.behaviour.claims = change;
    expect(await refusalOf(client.refresh(tokens))).toBe(code);
  });

  test('rejects a forged signature', async () => {
    const { client, tokens } = await signedIn();
    hostile.behaviour.idToken = (token) => `${token.slice(0, -6)}AAAAAA`;
    expect(await refusalOf(client.refresh(tokens))).toBe('id_token_invalid');
  });

  test('accepts the nonce of the first ID Token', async () => {
    const { client, tokens, transaction } = await signedIn();
    hostile.behaviour.claims = withMember('nonce', transaction.nonce);
    expect((await client.refresh(tokens)).subject).toBe(hostile.subject);
  });

  test('can return a part of the scope, and later the whole scope', async () => {
    const { client, tokens } = await signedIn(['openid', 'basic']);
    hostile.behaviour.token = withMember('scope', 'openid');
    const less = await client.refresh(tokens);
    expect(hostile.requestsTo('/oauth/token')[0]?.form.get('scope')).toBeNull();
    expect(less).toMatchObject({ scope: ['openid'], grantedScope: ['openid', 'basic'] });
    hostile.behaviour.token = withMember('scope', 'openid basic');
    const whole = await client.refresh(less);
    expect(whole.scope).toEqual(['openid', 'basic']);
    expect(whole.grantedScope).toBeUndefined();
    hostile.behaviour.token = withMember('scope', 'openid email');
    expect(await refusalOf(client.refresh(whole))).toBe('scope_widened');
  });

  test('without a refresh token requires a new sign-in', async () => {
    const { client, tokens } = await signedIn();
    const { refreshToken, ...rest } = tokens;
    expect(await errorOf(client.refresh(rest as TokenSet))).toMatchObject({
      code: 'refresh_token_missing',
      remedy: 'sign_in',
    });
    expect(hostile.requests).toEqual([]);
  });

  test('has different errors for a refused refresh token and a failing service', async () => {
    const { client, tokens } = await signedIn();
    const failWith = (status: number, body: object) => {
      hostile.behaviour.endpoints['/oauth/token'] = (_, response) => json(response, status, body);
      return errorOf(client.refresh(tokens));
    };
    const error = 'invalid_grant';
    expect(await failWith(400, { error })).toMatchObject({
      name: 'TokenResponseError',
      code: error,
      remedy: 'sign_in',
    });
    expect(await failWith(400, {})).toMatchObject({ code: 'response_malformed' });
    expect(await failWith(500, { error })).toMatchObject({ code: 'service_error', remedy: 'retry' });
  });
});
