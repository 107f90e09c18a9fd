import { createPublicKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { expectUnblocked } from '../properties/property.js';
import { hostile } from './hostile.js';
import { json } from './hostile-authorization-server.js';
import { clientOf, errorOf, outcomeOf, signIn, testClock } from './sign-in.js';
import { testKeys } from './test-keys.js';

const JWKS = '/.well-known/jwks.json';

const outcome = (client = clientOf(hostile)) => outcomeOf(signIn(hostile, client));
const published = (...keys: unknown[]) =>
  Object.assign(hostile.behaviour, { jwks: (own: JsonWebKey[]) => ({ keys: [...keys, ...own] }) });

describe('signing keys', () => {
  const rotate = () =>
    Object.assign(hostile.behaviour, { signingKey: testKeys.second, publishedKeys: [testKeys.second] });

  test('are fetched when they are first needed, and cached', async () => {
    const client = clientOf(hostile);
    await client.request();
    expect(hostile.requestsTo(JWKS)).toEqual([]);
    for (let i = 0; i < 3; i += 1) expect(await outcome(client)).toBe('done');
    expect(hostile.requestsTo(JWKS)).toHaveLength(1);
  });

  test('are fetched again after five minutes, so that a withdrawn key is no longer accepted', async () => {
    const clock = testClock();
    const client = clientOf(hostile, { clock });
    expect(await outcome(client)).toBe('done');
    hostile.behaviour.publishedKeys = [testKeys.second];
    clock.advance(299);
    expect(await outcome(client)).toBe('done');
    clock.advance(1);
    expect(await outcome(client)).toBe('id_token_invalid kid');
  });

  test('that are rotated between discovery and the token response are found', async () => {
    const client = clientOf(hostile);
    const { url, transaction } = await client.request();
    rotate();
    expect((await client.redeem(hostile.authorize(url), transaction)).subject).toBe(hostile.subject);
  });

  const unknownKids = () =>
    Object.assign(hostile.behaviour, { header: (header: object) => ({ ...header, kid: `kid-${Math.random()}` }) });
  const forgedSignatures = () =>
    Object.assign(hostile.behaviour, { idToken: (token: string) => token.replace(/[^.]{342}$/, 'A'.repeat(342)) });

  test.each([
    ['unknown kids', unknownKids, 'id_token_invalid kid'],
    ['forged signatures', forgedSignatures, 'id_token_invalid'],
  ])('are refetched once in five seconds by 20 sign-ins with %s', async (_what, forge, code) => {
    const clock = testClock();
    const client = clientOf(hostile, { clock });
    forge();
    for (let i = 0; i < 10; i += 1) expect(await outcome(client)).toBe(code);
    expect(hostile.requestsTo(JWKS)).toHaveLength(2);
    clock.advance(4.999);
    expect(await outcome(client)).toBe(code);
    expect(hostile.requestsTo(JWKS)).toHaveLength(2);
    clock.advance(0.001);
    await Promise.all(Array.from({ length: 10 }, () => outcome(client)));
    expect(hostile.requestsTo(JWKS)).toHaveLength(3);
  });

  test('are fetched once for concurrent sign-ins, at first and after a rotation', async () => {
    const client = clientOf(hostile);
    const twenty = () => Promise.all(Array.from({ length: 20 }, () => outcome(client)));
    expect(new Set(await twenty())).toEqual(new Set(['done']));
    expect(hostile.requestsTo(JWKS)).toHaveLength(1);
    expect(hostile.requestsTo('/.well-known/openid-configuration')).toHaveLength(1);
    rotate();
    expect(new Set(await twenty())).toEqual(new Set(['done']));
    expect(hostile.requestsTo(JWKS)).toHaveLength(2);
  });

  test('are refetched for an invalid signature, in case the cached document is wrong', async () => {
    // Another key with the same kid.
    hostile.behaviour.publishedKeys = [testKeys.rogue];
    hostile.behaviour.jwks = (keys) => {
      hostile.behaviour.publishedKeys = [testKeys.first];
      return { keys };
    };
    expect(await outcome()).toBe('done');
    expect(hostile.requestsTo(JWKS)).toHaveLength(2);
  });

  test('that cannot be refetched for an invalid signature leave it invalid', async () => {
    const client = clientOf(hostile);
    expect(await outcome(client)).toBe('done');
    hostile.behaviour.signingKey = { ...testKeys.rogue, kid: testKeys.first.kid as string };
    hostile.behaviour.endpoints[JWKS] = (_, response) => json(response, 500, {});
    expect(await outcome(client)).toBe('id_token_invalid');
    expect(hostile.requestsTo(JWKS)).toHaveLength(2);
  });

  test('are fetched again after a failed fetch', async () => {
    const client = clientOf(hostile);
    hostile.behaviour.endpoints[JWKS] = (_, response) => json(response, 500, {});
    expect(await errorOf(signIn(hostile, client))).toMatchObject({ code: 'service_error', retryable: true });
    hostile.behaviour.endpoints = {};
    expect(await outcome(client)).toBe('done');
  });

  test('can be refetched at once after a failed refetch', async () => {
    const client = clientOf(hostile);
    expect(await outcome(client)).toBe('done');
    rotate();
    hostile.behaviour.endpoints[JWKS] = (_, response) => response.destroy();
    expect(await outcome(client)).toBe('service_unreachable');
    hostile.behaviour.endpoints = {};
    expect(await outcome(client)).toBe('done');
  });

  const { kty, n, e } = createPublicKey({ key: testKeys.first, format: 'jwk' }).export({ format: 'jwk' });
  const own = { kty, n, e, kid: testKeys.first.kid };

  test('are used without a kid in the token when there is exactly one', async () => {
    hostile.behaviour.header = () => ({ alg: 'RS256' });
    expect(await outcome()).toBe('done');
  });

  test('are not used without a kid in the token when there are several', async () => {
    hostile.behaviour.publishedKeys = [testKeys.first, testKeys.second];
    for (const [kid, message] of [
      [undefined, 'no "kid"'],
      ['other', 'publish its'],
    ]) {
      hostile.behaviour.header = () => ({ alg: 'RS256', ...(kid && { kid }) });
      const error = await errorOf(signIn(hostile, clientOf(hostile)));
      expect(error).toMatchObject({ code: 'id_token_invalid', claim: 'kid' });
      expect(error.message).toContain(message);
    }
  });

  test('of other types and uses are ignored', async () => {
    const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({ format: 'jwk' });
    const secret = { kty: 'oct', k: Buffer.from('secret').toString('base64url'), kid: testKeys.first.kid };
    const encryption = { ...own, kid: 'encryption', alg: 'RSA-OAEP', use: 'enc' };
    published(null, 1, [], {}, { kty: 'unknown' }, secret, { ...ec, kid: testKeys.first.kid }, encryption);
    expect(await outcome()).toBe('done');
    hostile.behaviour.header = () => ({ alg: 'RS256' });
    expect(await outcome()).toBe('done');
  });

  test.each<[string, Record<string, unknown>]>([
    ['use enc', { ...own, use: 'enc' }],
    ['key_ops without verify', { ...own, key_ops: ['encrypt'] }],
    ['another alg', { ...own, alg: 'RS512' }],
    ['its private part', { ...testKeys.first }],
    ['a modulus that is an array', { ...own, n: [own.n] }],
    ['an exponent that is an object', { ...own, e: { toString: 1 } }],
    ['no modulus', { kty: 'RSA', kid: own.kid, e: own.e }],
  ])('do not include a key with %s', async (_, key) => {
    hostile.behaviour.publishedKeys = [];
    published(key);
    expect(await outcome()).toBe('id_token_invalid kid');
  });

  const sign = Buffer.alloc(1);
  test.each<[string, Record<string, unknown>]>([
    ['neither use nor alg', own],
    ['a certificate', { ...own, alg: 'RS256', x5c: ['MIIC'], x5t: 'a', 'x5t#S256': 'b' }],
    [
      'the sign in its modulus',
      { ...own, n: Buffer.concat([sign, Buffer.from(`${n}`, 'base64url')]).toString('base64url') },
    ],
  ])('include a key with %s', async (_, key) => {
    hostile.behaviour.publishedKeys = [];
    published(key);
    expect(await outcome()).toBe('done');
  });

  test.each<[string, unknown]>([
    ['no keys', {}],
    ['keys that are not an array', { keys: { 0: own } }],
  ])('are missing from a document with %s', async (_, body) => {
    hostile.behaviour.jwks = () => body;
    expect(await outcome()).toBe('id_token_invalid kid');
  });

  test.each([201, 302, 404])(
    'with HTTP status %d are rejected, and not requested from another address',
    async (status) => {
      hostile.behaviour.endpoints[JWKS] = (_, response) => {
        response.setHeader('location', '/elsewhere');
        json(response, status, { keys: [own] });
      };
      expect(await outcome()).toBe('response_malformed');
      expect(hostile.requestsTo('/elsewhere')).toEqual([]);
    },
  );
});

describe('a key set', () => {
  const { kty, n, e } = createPublicKey({ key: testKeys.second, format: 'jwk' }).export({ format: 'jwk' });
  test('of many keys with long exponents does not block other requests', async () => {
    const crafted = { kty, n, e: n, kid: testKeys.first.kid };
    published(...Array.from({ length: 250 }, () => crafted));
    expect(await expectUnblocked(() => outcome())).toBe('response_malformed');
  });

  test('has at most 20 keys', async () => {
    const keys = (count: number) => Array.from({ length: count }, (_, i) => ({ kty, n, e, kid: `key ${i}` }));
    published(...keys(19));
    expect(await outcome()).toBe('done');
    published(...keys(20));
    expect(await outcome()).toBe('response_malformed');
    published(...Array.from({ length: 20 }, () => null));
    expect(await outcome()).toBe('response_malformed');
  });

  test('has at most two keys with one kid', async () => {
    const same = { kty, n, e, kid: testKeys.first.kid };
    published(same);
    expect(await outcome()).toBe('done');
    published(same, same);
    expect(await outcome()).toBe('response_malformed');
  });

  test('has RSA keys of 2048 to 4096 bits: others are ignored', async () => {
    Object.assign(hostile.behaviour, { signingKey: testKeys.short, publishedKeys: [testKeys.short] });
    expect(await outcome()).toBe('id_token_invalid kid');
    Object.assign(hostile.behaviour, { signingKey: testKeys.long, publishedKeys: [testKeys.long] });
    expect(await outcome()).toBe('done');
    const longer = Buffer.alloc(513, 1).toString('base64url');
    // A token without a kid is only accepted when there is one key.
    Object.assign(hostile.behaviour, { header: () => ({ alg: 'RS256' }) });
    for (const modulus of [longer, 'x'.repeat(20_000)]) {
      published({ kty, n: modulus, e });
      expect(await outcome()).toBe('done');
    }
  });

  test.each([
    ['longExponent', 'done'],
    ['longerExponent', 'id_token_invalid kid'],
  ] as const)('has public exponents of at most 32 bits: %s', async (name, code) => {
    const key = testKeys[name];
    Object.assign(hostile.behaviour, { signingKey: key, publishedKeys: [key] });
    expect(await outcome()).toBe(code);
  });
});
