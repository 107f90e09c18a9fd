import { createHmac, createPublicKey } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { hostile } from './hostile.js';
import {
  clientOf,
  codeOf,
  errorOf,
  type Members,
  outcomeOf,
  signIn,
  testClock,
  withMember,
  without,
} from './sign-in.js';
import { testKeys } from './test-keys.js';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const NOW = 1_800_000_000;

describe('an ID Token', () => {
  const codeWith = (part: 'claims' | 'header' | 'idToken', change: (value: never) => unknown) => {
    Object.assign(hostile.behaviour, { [part]: change });
    return codeOf(signIn(hostile, clientOf(hostile)));
  };

  test('that is valid signs in, with both audiences and azp', async () => {
    const { tokens } = await signIn(hostile, clientOf(hostile));
    expect(tokens).toMatchObject({ subject: hostile.subject, authTime: (NOW - 5) * 1000, scope: ['openid'] });
    expect(tokens.idToken?.reveal().split('.')).toHaveLength(3);
  });

  test('passes its claims on as plain objects, which JSON and a log do not contain', async () => {
    const planted = '{"groups":["a"],"__proto__":{"isAdmin":true},"deep":[{"constructor":{"prototype":1},"is":true}]}';
    hostile.behaviour.claims = (claims) => ({ ...claims, planted: JSON.parse(planted) });
    hostile.behaviour.token = (members) => ({ ...members, claims: { sub: 'mallet' } });
    const { tokens } = await signIn(hostile, clientOf(hostile));
    const { claims } = tokens.params as { claims: Record<string, Members> };
    expect(claims).toMatchObject({ sub: hostile.subject, iss: hostile.issuer });
    expect(JSON.stringify(claims.planted)).toBe('{"groups":["a"],"deep":[{"is":true}]}');
    expect(Object.assign({}, claims.planted)).not.toHaveProperty('isAdmin');
    expect([JSON.stringify(tokens), inspect(tokens, { showHidden: true })].join()).not.toMatch(/planted|mallet/);
  });

  const mallet = 'https://mallet.example';
  test.each<[string, (claims: Members) => Members, string]>([
    ['another issuer', withMember('iss', mallet), 'id_token_invalid iss'],
    ['the issuer with an extra slash', (claims) => ({ ...claims, iss: `${claims.iss}/` }), 'id_token_invalid iss'],
    ['no issuer', without('iss'), 'id_token_invalid iss'],
    ['no subject', without('sub'), 'id_token_invalid sub'],
    ['an empty subject', withMember('sub', ''), 'id_token_invalid sub'],
    ['a numeric subject', withMember('sub', 42), 'id_token_invalid sub'],
    ['a subject that is an object', withMember('sub', { id: 1 }), 'id_token_invalid sub'],
    ['a subject with a line break', withMember('sub', 'a\nb'), 'id_token_invalid sub'],
    ['a subject of 256 characters', withMember('sub', 'x'.repeat(256)), 'id_token_invalid sub'],
    ['another audience', withMember('aud', 'someone'), 'id_token_invalid aud'],
    ['no audience', without('aud'), 'id_token_invalid aud'],
    ['only the issuer as its audience', (claims) => ({ ...claims, aud: [claims.iss] }), 'id_token_invalid aud'],
    ['an empty audience', withMember('aud', []), 'id_token_invalid aud'],
    ['an audience that is an object', withMember('aud', { 0: 'client one' }), 'id_token_invalid aud'],
    [
      'an audience without the client',
      (claims) => ({ ...claims, aud: [claims.iss, 'someone'] }),
      'id_token_invalid aud',
    ],
    [
      'a third audience',
      (claims) => ({ ...claims, aud: [...(claims.aud as string[]), 'third'] }),
      'id_token_invalid aud',
    ],
    ['an audience array with a number', (claims) => ({ ...claims, aud: [claims.azp, 1] }), 'id_token_invalid aud'],
    ['two audiences and no azp', without('azp'), 'id_token_invalid azp'],
    ['another azp', withMember('azp', 'someone'), 'id_token_invalid azp'],
    [
      'another azp with a single audience',
      (claims) => ({ ...claims, aud: claims.azp, azp: 'someone' }),
      'id_token_invalid azp',
    ],
    ['a null azp', withMember('azp', null), 'id_token_invalid azp'],
    ['another nonce', withMember('nonce', 'other'), 'id_token_invalid nonce'],
    ['no nonce', without('nonce'), 'id_token_invalid nonce'],
    ['a null nonce', withMember('nonce', null), 'id_token_invalid nonce'],
    ["another access token's at_hash", withMember('at_hash', 'AAAAAAAAAAAAAAAAAAAAAA'), 'id_token_invalid at_hash'],
    ['an empty at_hash', withMember('at_hash', ''), 'id_token_invalid at_hash'],
    ['a numeric at_hash', withMember('at_hash', 1), 'id_token_invalid at_hash'],
    ['no iat', without('iat'), 'id_token_invalid iat'],
    ['no exp', without('exp'), 'id_token_invalid exp'],
    ['exp as a string', withMember('exp', String(NOW + 60)), 'id_token_invalid exp'],
    ['iat as a string', withMember('iat', String(NOW)), 'id_token_invalid iat'],
    ['nbf as a string', withMember('nbf', String(NOW)), 'id_token_invalid nbf'],
    ['a null exp', withMember('exp', null), 'id_token_invalid exp'],
    ['auth_time as a string', withMember('auth_time', String(NOW)), 'id_token_invalid auth_time'],
    ['a negative auth_time', withMember('auth_time', -1), 'id_token_invalid auth_time'],
    ['auth_time in the future', withMember('auth_time', NOW + 61), 'id_token_invalid auth_time'],
    ['a logout token', withMember('events', {}), 'id_token_invalid events'],
  ])('with %s is rejected', async (_, change, code) => {
    expect(await codeWith('claims', change)).toBe(code);
  });

  test.each<[string, (claims: Members) => Members]>([
    ['the client as its only audience, and no azp', (claims) => without('azp')({ ...claims, aud: claims.azp })],
    ['the client as its only audience in an array', (claims) => without('azp')({ ...claims, aud: [claims.azp] })],
    ['no at_hash', without('at_hash')],
    ['no auth_time, when none is required', without('auth_time')],
    ['unknown claims', withMember('__proto__x', { deep: [1] })],
  ])('signs in with %s', async (_, change) => {
    hostile.behaviour.claims = change;
    expect((await signIn(hostile, clientOf(hostile))).tokens.subject).toBe(hostile.subject);
  });

  test('exp, nbf and iat have a tolerance of 60 seconds', async () => {
    const outcome = (claims: (claims: Members) => Members) => {
      Object.assign(hostile.behaviour, { claims });
      return outcomeOf(signIn(hostile, clientOf(hostile)));
    };
    const valid = withMember('iat', NOW - 9000);
    expect(await outcome((claims) => ({ ...valid(claims), exp: NOW - 59 }))).toBe('done');
    expect(await outcome((claims) => ({ ...valid(claims), exp: NOW - 60 }))).toBe('id_token_expired');
    expect(await outcome(withMember('nbf', NOW + 60))).toBe('done');
    expect(await outcome(withMember('nbf', NOW + 61))).toBe('id_token_invalid nbf');
    expect(await outcome(withMember('iat', NOW + 60))).toBe('done');
    expect(await outcome(withMember('iat', NOW + 61))).toBe('id_token_invalid iat');
  });

  test.each([1_000_000_000, 1_800_000_000, 3_900_000_000])(
    'the clock option is the only source of time (%d)',
    async (seconds) => {
      hostile.now = seconds;
      const clock = testClock(seconds);
      const { tokens } = await signIn(hostile, clientOf(hostile, { clock }));
      expect(tokens.expiresAt).toBe((seconds + 1800) * 1000);
      clock.advance(3600);
      expect(await codeOf(signIn(hostile, clientOf(hostile, { clock })))).toBe('id_token_expired');
    },
  );

  test('max_age and prompt=login require a recent auth_time', async () => {
    const outcome = (authTime: number | undefined, parameters: object) => {
      hostile.behaviour.claims = authTime === undefined ? without('auth_time') : withMember('auth_time', authTime);
      return outcomeOf(signIn(hostile, clientOf(hostile), parameters));
    };
    expect(await outcome(NOW - 160, { maxAge: 100 })).toBe('done');
    expect(await outcome(NOW - 161, { maxAge: 100 })).toBe('id_token_invalid auth_time');
    expect(await outcome(undefined, { maxAge: 100 })).toBe('id_token_invalid auth_time');
    expect(await outcome(NOW - 60, { maxAge: 0 })).toBe('done');
    expect(await outcome(NOW - 60, { prompt: 'login' })).toBe('done');
    expect(await outcome(NOW - 61, { prompt: 'consent login' })).toBe('id_token_invalid auth_time');
    expect(await outcome(undefined, { prompt: 'login' })).toBe('id_token_invalid auth_time');
    expect(await outcome(NOW - 9000, { prompt: 'consent' })).toBe('done');
    expect(await outcome(NOW - 100, { prompt: 'login', maxAge: 9000 })).toBe('id_token_invalid auth_time');
  });

  test.each<[string, (header: Members) => Members, string]>([
    ['alg none', withMember('alg', 'none'), 'id_token_invalid alg'],
    ['alg nOnE', withMember('alg', 'nOnE'), 'id_token_invalid alg'],
    ['an empty alg', withMember('alg', ''), 'id_token_invalid alg'],
    ['no alg', without('alg'), 'id_token_invalid alg'],
    ['an array of algs', withMember('alg', ['RS256']), 'id_token_invalid alg'],
    ['alg ES256', withMember('alg', 'ES256'), 'id_token_invalid alg'],
    ['alg PS256', withMember('alg', 'PS256'), 'id_token_invalid alg'],
    ['crit', withMember('crit', ['exp']), 'id_token_invalid crit'],
    ['an empty crit', withMember('crit', []), 'id_token_invalid crit'],
    ['the typ of an access token', withMember('typ', 'at+jwt'), 'id_token_invalid typ'],
    ['the typ of a logout token', withMember('typ', 'logout+jwt'), 'id_token_invalid typ'],
    ['a numeric typ', withMember('typ', 1), 'id_token_invalid typ'],
    ['a numeric kid', withMember('kid', 1), 'id_token_invalid kid'],
    ['kid __proto__', withMember('kid', '__proto__'), 'id_token_invalid kid'],
    ['kid ../../x', withMember('kid', '../../x'), 'id_token_invalid kid'],
    ['kid of 50 kB', withMember('kid', 'k'.repeat(50_000)), 'id_token_invalid kid'],
    ['an SQL kid', withMember('kid', "' OR 1=1 --"), 'id_token_invalid kid'],
  ])('with %s is rejected', async (_, change, code) => {
    expect(await codeWith('header', change)).toBe(code);
  });

  test.each(['JWT', 'jwt', 'application/jwt'])('signs in with typ %s', async (typ) => {
    hostile.behaviour.header = withMember('typ', typ);
    expect((await signIn(hostile, clientOf(hostile))).tokens.subject).toBe(hostile.subject);
  });

  test('with a forged signature is rejected', async () => {
    expect(await codeWith('idToken', (token: string) => `${token.slice(0, -6)}AAAAAA`)).toBe('id_token_invalid');
  });

  test('with claims changed after signing is rejected', async () => {
    const change = (token: string) => {
      const [header, claims = '', signature] = token.split('.');
      const members = JSON.parse(Buffer.from(claims, 'base64url').toString());
      return [header, encode({ ...members, sub: 'mallet' }), signature].join('.');
    };
    expect(await codeWith('idToken', change)).toBe('id_token_invalid');
  });

  test('signed by another key with the same kid is rejected', async () => {
    hostile.behaviour.signingKey = testKeys.rogue;
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_invalid');
  });

  test('is not verified with a key or a key URL of its header', async () => {
    hostile.behaviour.signingKey = testKeys.rogue;
    const { kty, n, e } = createPublicKey({ key: testKeys.rogue, format: 'jwk' }).export({ format: 'jwk' });
    hostile.behaviour.header = (header) => ({
      ...header,
      jwk: { kty, n, e, kid: header.kid },
      jku: `${hostile.issuer}/mallet/jwks.json`,
      x5u: `${hostile.issuer}/mallet/x5u`,
      x5c: ['AAAA'],
    });
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_invalid');
    expect(hostile.requests.filter(({ path }) => path.includes('mallet'))).toEqual([]);
  });

  const publicKey = createPublicKey({ key: testKeys.first, format: 'jwk' });
  test.each<[string, string]>([
    ['the public key in PEM', publicKey.export({ format: 'pem', type: 'spki' }).toString()],
    ['the client secret', "s3cret-with+odd%characters:=and more'"],
    ['an empty secret', ''],
  ])('signed with HS256 and %s is rejected', async (_, key) => {
    const forge = (token: string) => {
      const text = [encode({ alg: 'HS256', kid: testKeys.first.kid }), token.split('.')[1]].join('.');
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    };
    expect(await codeWith('idToken', forge)).toBe('id_token_invalid alg');
  });

  test('with alg none and no signature is rejected', async () => {
    const code = await codeWith('idToken', (token: string) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`);
    expect(code).toBe('id_token_invalid');
  });

  test('is checked for RS256, for any algorithms of the metadata document', async () => {
    hostile.behaviour.metadata = (document) => ({
      ...document,
      id_token_signing_alg_values_supported: ['none', 'ES256'],
    });
    expect((await signIn(hostile, clientOf(hostile))).tokens.subject).toBe(hostile.subject);
    expect(await codeWith('header', withMember('alg', 'ES256'))).toBe('id_token_invalid alg');
  });

  const part = (text: string) => Buffer.from(text).toString('base64url');
  test.each<[string, (token: string) => unknown]>([
    ['two parts', (token) => token.split('.').slice(0, 2).join('.')],
    ['four parts', (token) => `${token}.AAAA`],
    ['five parts, an encrypted one', (token) => `${token}.AAAA.AAAA`],
    ['an empty part', () => '..'],
    ['padding', (token) => token.replace('.', '=.')],
    ['characters of plain base64', (token) => token.replace(/\.[^.]*$/, '.a+b/')],
    ['a header that is not JSON', (token) => token.replace(/^[^.]*/, part('nonsense'))],
    ['a header that is an array', (token) => token.replace(/^[^.]*/, part('[]'))],
    ['claims that are not JSON', (token) => token.replace(/\.[^.]*\./, `.${part('{"sub":')}.`)],
    ['claims that are an array', (token) => token.replace(/\.[^.]*\./, `.${part('[1]')}.`)],
    ['claims that are null', (token) => token.replace(/\.[^.]*\./, `.${part('null')}.`)],
    [
      'claims that are not UTF-8',
      (token) => token.replace(/\.[^.]*\./, `.${Buffer.from([0x7b, 0xff, 0x7d]).toString('base64url')}.`),
    ],
    ['a claim twice', (token) => token.replace(/\.[^.]*\./, `.${part('{"sub":"a","sub":"b"}')}.`)],
    ['a claim twice, once escaped', (token) => token.replace(/\.[^.]*\./, `.${part('{"sub":"a","s\\u0075b":"b"}')}.`)],
    [
      'claims a thousand deep',
      (token) => token.replace(/\.[^.]*\./, `.${part(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`)}.`),
    ],
    [
      'invalid UTF-8 inside a string',
      (token) => token.replace(/\.[^.]*\./, `.${Buffer.from('{"sub":"\xff"}', 'latin1').toString('base64url')}.`),
    ],
    ['a line break', (token) => `${token}\n`],
  ])('with %s is rejected', async (_, change) => {
    expect(await codeWith('idToken', change)).toBe('id_token_invalid');
  });

  test('that is missing from the token response fails the sign-in', async () => {
    hostile.behaviour.token = without('id_token');
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_missing');
  });

  test('that is rejected causes a ProtocolError', async () => {
    hostile.behaviour.claims = withMember('nonce', 'other');
    const error = await errorOf(signIn(hostile, clientOf(hostile)));
    expect(error).toMatchObject({ name: 'ProtocolError', status: 502, remedy: 'investigate', retryable: false });
  });

  test('is ignored in the profile flow', async () => {
    hostile.behaviour.token = withMember('id_token', 'not.a.jwt');
    const { tokens } = await signIn(hostile, clientOf(hostile, { flow: 'profile' }));
    expect(tokens.idToken).toBeUndefined();
    expect(tokens.params.id_token).toBeUndefined();
  });
});
