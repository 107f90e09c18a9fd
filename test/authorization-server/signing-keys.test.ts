import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { HostileAuthorizationServer, json } from './hostile-authorization-server.js';
import { clientOf, codeOf, errorOf, outcomeOf, signIn, testClock } from './sign-in.js';
import { testKeys } from './test-keys.js';

const JWKS = '/.well-known/jwks.json';

describe('the signing keys', () => {
  let hostile: HostileAuthorizationServer;
  beforeAll(async () => {
    hostile = await HostileAuthorizationServer.start();
  });
  afterEach(() => hostile.reset());
  afterAll(() => hostile.stop());

  const rotate = () =>
    Object.assign(hostile.behaviour, { signingKey: testKeys.second, publishedKeys: [testKeys.second] });
  const outcome = (client = clientOf(hostile)) => outcomeOf(signIn(hostile, client));

  test('are fetched when first needed, and then kept', async () => {
    const client = clientOf(hostile);
    await client.request();
    expect(hostile.asked(JWKS)).toEqual([]);
    for (let i = 0; i < 3; i += 1) expect(await outcome(client)).toBe('done');
    expect(hostile.asked(JWKS)).toHaveLength(1);
  });

  test('are fetched again after five minutes, so that a withdrawn key is not believed for ever', async () => {
    const clock = testClock();
    const client = clientOf(hostile, { clock });
    expect(await outcome(client)).toBe('done');
    hostile.behaviour.publishedKeys = [testKeys.second];
    clock.advance(299);
    expect(await outcome(client)).toBe('done');
    clock.advance(1);
    expect(await outcome(client)).toBe('id_token_key_unknown');
  });

  test('attack 27: a key that changes between discovery and the token is found', async () => {
    const client = clientOf(hostile);
    const { url, transaction } = await client.request();
    rotate();
    expect((await client.redeem(hostile.authorize(url), transaction)).subject).toBe(hostile.subject);
  });

  test('attack 28: a sign-in just after a rotation is accepted after one more fetch', async () => {
    const client = clientOf(hostile);
    expect(await outcome(client)).toBe('done');
    rotate();
    expect(await outcome(client)).toBe('done');
    expect(hostile.asked(JWKS)).toHaveLength(2);
  });

  const madeUpKids = () =>
    Object.assign(hostile.behaviour, { header: (header: object) => ({ ...header, kid: `kid-${Math.random()}` }) });
  const forgedSignatures = () =>
    Object.assign(hostile.behaviour, { idToken: (token: string) => token.replace(/[^.]{342}$/, 'A'.repeat(342)) });

  test.each([
    ['made-up kids', madeUpKids, 'id_token_key_unknown'],
    ['forged signatures', forgedSignatures, 'id_token_signature_invalid'],
  ])('attack 174: a hundred sign-ins with %s fetch the keys once in five seconds', async (_what, forge, code) => {
    const clock = testClock();
    const client = clientOf(hostile, { clock });
    forge();
    for (let i = 0; i < 50; i += 1) expect(await outcome(client)).toBe(code);
    expect(hostile.asked(JWKS)).toHaveLength(2);
    clock.advance(4.999);
    expect(await outcome(client)).toBe(code);
    expect(hostile.asked(JWKS)).toHaveLength(2);
    clock.advance(0.001);
    await Promise.all(Array.from({ length: 50 }, () => outcome(client)));
    expect(hostile.asked(JWKS)).toHaveLength(3);
  });

  test('attack 175: sign-ins at once share one fetch, cold and after a rotation', async () => {
    const client = clientOf(hostile);
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => outcome(client)));
    expect(new Set(await twenty())).toEqual(new Set(['done']));
    expect(hostile.asked(JWKS)).toHaveLength(1);
    expect(hostile.asked('/.well-known/openid-configuration')).toHaveLength(1);
    rotate();
    expect(new Set(await twenty())).toEqual(new Set(['done']));
    expect(hostile.asked(JWKS)).toHaveLength(2);
  });

  test('are looked at once more when a signature does not fit: a spoilt document does not keep everybody out', async () => {
    // The same kid, and another key behind it.
    hostile.behaviour.publishedKeys = [testKeys.rogue];
    hostile.behaviour.jwks = (keys) => {
      hostile.behaviour.publishedKeys = [testKeys.first];
      return { keys };
    };
    expect(await outcome()).toBe('done');
    expect(hostile.asked(JWKS)).toHaveLength(2);
  });

  test('a failed fetch fails one sign-in and is not kept', async () => {
    const client = clientOf(hostile);
    hostile.behaviour.endpoints[JWKS] = (_, response) => json(response, 500, {});
    expect(await errorOf(signIn(hostile, client))).toMatchObject({ code: 'service_error', retryable: true });
    hostile.behaviour.endpoints = {};
    expect(await outcome(client)).toBe('done');
  });

  test('a failed fetch after a rotation does not start the cool-down', async () => {
    const client = clientOf(hostile);
    expect(await outcome(client)).toBe('done');
    rotate();
    hostile.behaviour.endpoints[JWKS] = (_, response) => response.destroy();
    expect(await outcome(client)).toBe('service_unreachable');
    hostile.behaviour.endpoints = {};
    expect(await outcome(client)).toBe('done');
  });

  const published = (...keys: unknown[]) =>
    Object.assign(hostile.behaviour, { jwks: (own: JsonWebKey[]) => ({ keys: [...keys, ...own] }) });
  const { kty, n, e } = createPublicKey({ key: testKeys.first, format: 'jwk' }).export({ format: 'jwk' });
  const own = { kty, n, e, kid: testKeys.first.kid };

  test('attack 14: without a kid, a sole key is used', async () => {
    hostile.behaviour.header = () => ({ alg: 'RS256' });
    expect(await outcome()).toBe('done');
  });

  test('attack 15: without a kid, one of several keys is not guessed', async () => {
    hostile.behaviour.header = () => ({ alg: 'RS256' });
    hostile.behaviour.publishedKeys = [testKeys.first, testKeys.second];
    expect(await outcome()).toBe('id_token_key_unknown');
  });

  test('attack 173: keys of other kinds and uses are passed over, the others still work', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    const secret = { kty: 'oct', k: Buffer.from('secret').toString('base64url'), kid: testKeys.first.kid };
    published(
      null,
      1,
      'key',
      [],
      {},
      { kty: 'unheard-of' },
      secret,
      { ...ec, kid: testKeys.first.kid },
      { kty: 'RSA', kid: 'x', n: 1 },
    );
    expect(await outcome()).toBe('done');
    hostile.behaviour.header = () => ({ alg: 'RS256' });
    expect(await outcome()).toBe('done');
  });

  test.each<[string, Record<string, unknown>]>([
    ['use enc', { ...own, use: 'enc' }],
    ['key_ops without verify', { ...own, key_ops: ['encrypt'] }],
    ['key_ops of another type', { ...own, key_ops: 'verify' }],
    ['another alg', { ...own, alg: 'RS512' }],
    ['its private part', { ...testKeys.first }],
    ['kty of another kind', { ...own, kty: 'oct' }],
    ['a modulus that is no text', { ...own, n: [own.n] }],
    ['no modulus', { kty: 'RSA', kid: own.kid, e: own.e }],
  ])('attack 173: a key with %s is not used', async (_, key) => {
    hostile.behaviour.publishedKeys = [];
    published(key);
    expect(await outcome()).toBe('id_token_key_unknown');
  });

  test('attack 173: nor is a key of 1024 bits', async () => {
    Object.assign(hostile.behaviour, { signingKey: testKeys.short, publishedKeys: [testKeys.short] });
    expect(await outcome()).toBe('id_token_key_unknown');
  });

  test('a key with neither use nor alg is', async () => {
    hostile.behaviour.publishedKeys = [];
    published(own);
    expect(await outcome()).toBe('done');
  });

  test.each<[string, unknown]>([
    ['null', null],
    ['an array', []],
    ['text', 'keys'],
    ['no JSON', '{"keys":'],
  ])('attack 205: a key set that is %s is refused', async (_, body) => {
    hostile.behaviour.endpoints[JWKS] = (_request, response) =>
      json(response, 200, typeof body === 'string' ? body : JSON.stringify(body));
    expect(await outcome()).toBe('jwks_malformed');
  });

  test.each<[string, unknown]>([
    ['no keys', {}],
    ['keys that are no array', { keys: { 0: own } }],
  ])('a key set with %s holds none', async (_, body) => {
    hostile.behaviour.jwks = () => body;
    expect(await outcome()).toBe('id_token_key_unknown');
  });

  test.each([201, 302, 404])('a key set that comes with status %d is refused', async (status) => {
    hostile.behaviour.endpoints[JWKS] = (_, response) => json(response, status, { keys: [own] });
    expect(await outcome()).toBe('jwks_malformed');
  });

  test('attack 202: a redirect of the key set is not followed', async () => {
    hostile.behaviour.endpoints[JWKS] = (_, response) => response.writeHead(302, { location: '/elsewhere' }).end();
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('jwks_malformed');
    expect(hostile.asked('/elsewhere')).toEqual([]);
  });

  test('attack 204: a key set of two megabytes is not read', async () => {
    hostile.behaviour.jwks = (keys) => ({ keys, padding: 'x'.repeat(2_000_000) });
    expect(await outcome()).toBe('response_too_large');
  });
});
