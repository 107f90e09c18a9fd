import { createHash } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import type { AuthorizationParameters } from '../../lib/authorization-server/authorization-request.js';
import { Secret } from '../../lib/sealing/sealer.js';
import { hostile } from './hostile.js';
import { clientOf, errorOf, outcomeOf } from './sign-in.js';

describe('an authorization request', () => {
  const queryOf = (url: string) => Object.fromEntries(new URL(url).searchParams);

  test('has state, nonce and an S256 code challenge in the openid flow', async () => {
    const { url, transaction } = await clientOf(hostile).request();
    const { state, nonce, codeVerifier = '' } = transaction;
    expect(url.startsWith(`${hostile.issuer}/oauth/authorize?`)).toBe(true);
    expect(queryOf(url)).toEqual({
      response_type: 'code',
      client_id: hostile.clientID,
      redirect_uri: hostile.redirectURI,
      scope: 'openid',
      state,
      nonce,
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    });
    expect(codeVerifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
  });

  test('has neither nonce nor challenge in the profile flow, and uses fixed paths without discovery', async () => {
    const { url, transaction } = await clientOf(hostile, { flow: 'profile' }).request();
    expect(queryOf(url)).toEqual({
      response_type: 'code',
      client_id: hostile.clientID,
      redirect_uri: hostile.redirectURI,
      scope: 'basic',
      state: transaction.state,
    });
    expect(transaction).not.toHaveProperty('nonce');
    expect(transaction).not.toHaveProperty('codeVerifier');
    expect(hostile.requests).toEqual([]);
  });

  test('has a new state, nonce and verifier each time', async () => {
    const client = clientOf(hostile);
    const attempts = await Promise.all(Array.from({ length: 20 }, () => client.request()));
    for (const name of ['state', 'nonce', 'codeVerifier'] as const) {
      const values = attempts.map(({ transaction }) => transaction[name]);
      expect(new Set(values).size).toBe(20);
      expect(values).not.toContain(undefined);
    }
  });

  test('has the secret values that it is given, and its transaction completes the sign-in', async () => {
    const client = clientOf(hostile);
    const secrets = { state: 'a'.repeat(43), nonce: 'b'.repeat(43), codeVerifier: 'c'.repeat(43) };
    const { url, transaction } = await client.request({ scope: ['openid'] }, secrets);
    expect(queryOf(url)).toMatchObject({ state: secrets.state, nonce: secrets.nonce });
    expect(transaction).toEqual({ ...secrets, scope: ['openid'], createdAt: 1_800_000_000_000 });
    expect((await client.redeem(hostile.authorize(url), transaction)).subject).toBe(hostile.subject);
  });

  test('has the optional parameters of the service spec', async () => {
    const { url, transaction } = await clientOf(hostile).request({
      scope: ['openid', 'basic', 'email'],
      prompt: 'login consent',
      display: 'popup',
      maxAge: 0,
      idTokenHint: new Secret('a.b.c'),
      extra: { ui_locales: 'en-US', login_hint: 'ann' },
    });
    expect(queryOf(url)).toMatchObject({
      scope: 'openid basic email',
      prompt: 'login consent',
      display: 'popup',
      max_age: '0',
      id_token_hint: 'a.b.c',
      ui_locales: 'en-US',
      login_hint: 'ann',
    });
    expect(transaction).toMatchObject({
      maxAge: 0,
      prompt: 'login consent',
      scope: ['openid', 'basic', 'email'],
    });
  });

  test('stores a prompt from extra in the transaction, and omits an empty prompt', async () => {
    const client = clientOf(hostile);
    expect((await client.request({ extra: { prompt: 'login' } })).transaction.prompt).toBe('login');
    const { url, transaction } = await client.request({ prompt: '' });
    expect(new URL(url).searchParams.has('prompt')).toBe(false);
    expect(transaction).not.toHaveProperty('prompt');
  });

  test.each([
    ...['client_id', 'redirect_uri', 'response_type', 'response_mode', 'scope', 'state', 'nonce', 'max_age'],
    ...['code_challenge', 'code_challenge_method', 'request', 'request_uri', 'registration', 'claims'],
  ])('rejects the additional parameter %s', async (name) => {
    const error = await errorOf(clientOf(hostile).request({ extra: { [name]: 'x' } }));
    expect(error.code).toBe('option_invalid');
    expect(error.message).toContain(`"${name}"`);
  });

  test('rejects an additional parameter that is set already', async () => {
    const client = clientOf(hostile);
    expect(await outcomeOf(client.request({ prompt: 'login', extra: { prompt: 'none' } }))).toBe('option_invalid');
  });

  test.each<[string, AuthorizationParameters, string]>([
    ['no scope openid in the openid flow', { scope: ['basic'] }, "must have 'openid'"],
    ['an invalid scope', { scope: ['openid', 'a"b'] }, 'has characters that RFC 6749'],
    ['a misspelled scope', { scope: ['openid', 'basik'] }, "has a scope which the 'openid' flow does not have"],
  ])('is rejected with %s', async (_, parameters, message) => {
    const error = await errorOf(clientOf(hostile).request(parameters));
    expect(error).toMatchObject({ code: 'option_invalid', option: 'scope', message: expect.stringContaining(message) });
  });

  test('rejects what needs an ID Token in the profile flow, which has none', async () => {
    const client = clientOf(hostile, { flow: 'profile' });
    expect(await outcomeOf(client.request({ maxAge: 60 }))).toBe('option_invalid');
    expect(await outcomeOf(client.request({ scope: ['basic', 'openid'] }))).toBe('option_invalid');
  });

  test('has type only in the profile flow', async () => {
    const { url } = await clientOf(hostile, { flow: 'profile' }).request({ type: 'verify' });
    expect(queryOf(url)).toMatchObject({ type: 'verify' });
    expect(await outcomeOf(clientOf(hostile).request({ type: 'verify' }))).toBe('option_invalid');
    expect(await outcomeOf(clientOf(hostile).request({ extra: { type: 'verify' } }))).toBe('option_invalid');
  });
});
