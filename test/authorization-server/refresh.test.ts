import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { deserializeTokenSet, serializeTokenSet, type TokenSet } from '../../lib/authorization-server/token-set.js';
import { HostileAuthorizationServer, json } from './hostile-authorization-server.js';
import { clientOf, codeOf, errorOf, signIn, testClock } from './sign-in.js';

type Members = Record<string, unknown>;

const withMember = (name: string, value: unknown) => (members: Members) => ({ ...members, [name]: value });
const without = (name: string) => (members: Members) => {
  const { [name]: _, ...rest } = members;
  return rest;
};

describe('a refresh', () => {
  let hostile: HostileAuthorizationServer;
  beforeAll(async () => {
    hostile = await HostileAuthorizationServer.start();
  });
  afterEach(() => hostile.reset());
  afterAll(() => hostile.stop());

  async function signedIn(scope = ['openid']) {
    const clock = testClock();
    const client = clientOf(hostile, { clock });
    const { tokens, transaction } = await signIn(hostile, client, { scope });
    hostile.requests.length = 0;
    return { client, clock, tokens, transaction };
  }

  test('attack 36: brings a new pair and a new ID Token for the same person', async () => {
    const { client, clock, tokens } = await signedIn();
    clock.advance(1000);
    hostile.now += 1000;
    const next = await client.refresh(tokens);
    const [request] = hostile.asked('/oauth/token');
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

  test('works on a token set that was sealed and opened', async () => {
    const { client, tokens } = await signedIn();
    const thawed = deserializeTokenSet(JSON.parse(JSON.stringify(serializeTokenSet(tokens))));
    expect((await client.refresh(thawed)).subject).toBe(hostile.subject);
  });

  test('in the profile flow the client authenticates by form fields', async () => {
    const client = clientOf(hostile, { flow: 'profile' });
    const { tokens } = await signIn(hostile, client);
    hostile.requests.length = 0;
    hostile.behaviour.token = without('scope');
    expect((await client.refresh(tokens)).scope).toEqual(['basic']);
    expect(hostile.asked('/oauth/token')[0]?.form.get('client_secret')).toBe(hostile.clientSecret);
  });

  test('attack 193: without a new refresh token or ID Token the old ones are kept', async () => {
    const { client, tokens } = await signedIn();
    hostile.behaviour.token = (members) => without('refresh_token')(without('id_token')(members));
    const next = await client.refresh(tokens);
    expect(next.refreshToken?.reveal()).toBe(tokens.refreshToken?.reveal());
    expect(next.idToken?.reveal()).toBe(tokens.idToken?.reveal());
    expect(next.accessToken.reveal()).not.toBe(tokens.accessToken.reveal());
    expect(next.subject).toBe(hostile.subject);
  });

  test.each<[string, (claims: Members) => Members, string]>([
    ['attack 37: another issuer', withMember('iss', 'https://mallet.example'), 'id_token_issuer_mismatch'],
    ['attack 38: another subject', withMember('sub', 'somebody-else'), 'id_token_subject_changed'],
    ['another audience', withMember('aud', 'other'), 'id_token_audience_mismatch'],
    ['another azp', withMember('azp', 'other'), 'id_token_azp_mismatch'],
    ["another access token's at_hash", withMember('at_hash', 'AAAAAAAAAAAAAAAAAAAAAA'), 'id_token_at_hash_mismatch'],
    ['a nonce that was never sent', withMember('nonce', 'other'), 'id_token_nonce_mismatch'],
    ['an expiry in the past', withMember('exp', 1_000_000_000), 'id_token_expired'],
  ])('%s is refused', async (_, change, code) => {
    const { client, tokens } = await signedIn();
    hostile.behaviour.claims = change;
    expect(await codeOf(client.refresh(tokens))).toBe(code);
  });

  test('a forged signature is refused', async () => {
    const { client, tokens } = await signedIn();
    hostile.behaviour.idToken = (token) => `${token.slice(0, -6)}AAAAAA`;
    expect(await codeOf(client.refresh(tokens))).toBe('id_token_signature_invalid');
  });

  test('attack 185: the first nonce may be there again', async () => {
    const { client, tokens, transaction } = await signedIn();
    hostile.behaviour.claims = withMember('nonce', transaction.nonce);
    expect((await client.refresh(tokens)).subject).toBe(hostile.subject);
  });

  test('attack 193: a scope that grew is refused', async () => {
    const { client, tokens } = await signedIn();
    hostile.behaviour.token = withMember('scope', 'openid basic');
    expect(await errorOf(client.refresh(tokens))).toMatchObject({ code: 'scope_widened', remedy: 'investigate' });
  });

  test('decision 54: less can be asked for, and the whole later again, but never more', async () => {
    const { client, tokens } = await signedIn(['openid', 'basic']);
    const less = await client.refresh(tokens, ['openid']);
    expect(hostile.asked('/oauth/token')[0]?.form.get('scope')).toBe('openid');
    expect(less).toMatchObject({ scope: ['openid'], grantedScope: ['openid', 'basic'] });
    hostile.behaviour.token = withMember('scope', 'openid basic');
    const whole = await client.refresh(less);
    expect(whole.scope).toEqual(['openid', 'basic']);
    expect(whole.grantedScope).toBeUndefined();
    expect(await codeOf(client.refresh(whole, ['openid', 'email']))).toBe('scope_not_granted');
    expect(hostile.asked('/oauth/token')).toHaveLength(2);
  });

  test('without a refresh token there is nothing to do but to sign in', async () => {
    const { client, tokens } = await signedIn();
    const { refreshToken, ...rest } = tokens;
    expect(await errorOf(client.refresh(rest as TokenSet))).toMatchObject({
      code: 'refresh_token_missing',
      remedy: 'sign_in',
    });
    expect(hostile.requests).toEqual([]);
  });

  test('attack 191: a refused refresh token and a failing service are told apart', async () => {
    const { client, tokens } = await signedIn();
    const answer = (status: number, body: object) => {
      hostile.behaviour.endpoints['/oauth/token'] = (_, response) => json(response, status, body);
      return errorOf(client.refresh(tokens));
    };
    expect(await answer(400, { error: 'invalid_grant' })).toMatchObject({
      name: 'TokenResponseError',
      code: 'invalid_grant',
      remedy: 'sign_in',
    });
    expect(await answer(500, { error: 'invalid_grant' })).toMatchObject({
      name: 'ServiceUnavailableError',
      code: 'service_error',
      remedy: 'retry',
    });
  });
});
