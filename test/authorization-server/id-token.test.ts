import { createHmac, createPublicKey } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { hostile } from './hostile.js';
import { clientOf, errorOf, type Members, outcomeOf, signIn, testClock, withMember, without } from './sign-in.js';
import { testKeys } from './test-keys.js';

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const NOW = 1_800_000_000;
type Claims = Members & { iss: string; aud: string[] };

describe('an ID Token', () => {
  const codeWith = (part: 'claims' | 'header' | 'idToken', change: (value: never) => unknown) => {
    Object.assign(hostile.behaviour, { [part]: change });
    return outcomeOf(signIn(hostile, clientOf(hostile)));
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

  test.each<[string, keyof Claims, unknown]>([
    ['another issuer', 'iss', 'https://mallet.example'],
    ['the issuer with an extra slash', 'iss', ({ iss }: Claims) => `${iss}/`],
    ['no issuer', 'iss', undefined],
    ['no subject', 'sub', undefined],
    ['an empty subject', 'sub', ''],
    ['a numeric subject', 'sub', 42],
    ['a subject that is an object', 'sub', { id: 1 }],
    ['a subject with a line break', 'sub', 'a\nb'],
    ['a subject of 256 characters', 'sub', 'x'.repeat(256)],
    ['another audience', 'aud', 'someone'],
    ['no audience', 'aud', undefined],
    ['only the issuer as its audience', 'aud', ({ iss }: Claims) => [iss]],
    ['an empty audience', 'aud', []],
    ['an audience that is an object', 'aud', { 0: 'client one' }],
    ['a third audience', 'aud', ({ aud }: Claims) => [...aud, 'third']],
    ['an audience array with a number', 'aud', ({ azp }: Claims) => [azp, 1]],
    ['two audiences and no azp', 'azp', undefined],
    ['another azp', 'azp', 'someone'],
    ['a null azp', 'azp', null],
    ['another nonce', 'nonce', 'other'],
    ['no nonce', 'nonce', undefined],
    ['a null nonce', 'nonce', null],
    ["another access token's at_hash", 'at_hash', 'AAAAAAAAAAAAAAAAAAAAAA'],
    ['an empty at_hash', 'at_hash', ''],
    ['a numeric at_hash', 'at_hash', 1],
    ['no iat', 'iat', undefined],
    ['no exp', 'exp', undefined],
    ['exp as a string', 'exp', String(NOW + 60)],
    ['iat as a string', 'iat', String(NOW)],
    ['nbf as a string', 'nbf', String(NOW)],
    ['a null exp', 'exp', null],
    ['auth_time as a string', 'auth_time', String(NOW)],
    ['a negative auth_time', 'auth_time', -1],
    ['auth_time in the future', 'auth_time', NOW + 61],
    ['a logout token', 'events', {}],
  ])('with %s is rejected', async (_, name, value) => {
    const change = (claims: Claims) => ({ ...claims, [name]: typeof value === 'function' ? value(claims) : value });
    expect(await codeWith('claims', change)).toBe(`id_token_invalid ${name}`);
  });

  test('with another azp and a single audience is rejected', async () => {
    const change = (claims: Claims) => ({ ...claims, aud: claims.azp, azp: 'someone' });
    expect(await codeWith('claims', change)).toBe('id_token_invalid azp');
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

  test.each([1_000_000_000, 3_900_000_000])('the clock option is the only source of time (%d)', async (seconds) => {
    hostile.now = seconds;
    const clock = testClock(seconds);
    const { tokens } = await signIn(hostile, clientOf(hostile, { clock }));
    expect(tokens.expiresAt).toBe((seconds + 1800) * 1000);
    clock.advance(3600);
    expect(await outcomeOf(signIn(hostile, clientOf(hostile, { clock })))).toBe('id_token_expired');
  });

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

  test.each<[string, string, unknown]>([
    ['alg none', 'alg', 'none'],
    ['an empty alg', 'alg', ''],
    ['no alg', 'alg', undefined],
    ['an array of algs', 'alg', ['RS256']],
    ['alg ES256', 'alg', 'ES256'],
    ['alg PS256', 'alg', 'PS256'],
    ['crit', 'crit', ['exp']],
    ['an empty crit', 'crit', []],
    ['the typ of an access token', 'typ', 'at+jwt'],
    ['the typ of a logout token', 'typ', 'logout+jwt'],
    ['a numeric typ', 'typ', 1],
    ['a numeric kid', 'kid', 1],
    ['kid __proto__', 'kid', '__proto__'],
    ['kid ../../x', 'kid', '../../x'],
    ['kid of 50 kB', 'kid', 'k'.repeat(50_000)],
  ])('with %s is rejected', async (_, name, value) => {
    expect(await codeWith('header', withMember(name, value))).toBe(`id_token_invalid ${name}`);
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
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_invalid');
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
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_invalid');
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

  test('is checked for RS256, for any algorithms of the metadata document', async () => {
    hostile.behaviour.metadata = (document) => ({
      ...document,
      id_token_signing_alg_values_supported: ['none', 'ES256'],
    });
    expect((await signIn(hostile, clientOf(hostile))).tokens.subject).toBe(hostile.subject);
    expect(await codeWith('header', withMember('alg', 'ES256'))).toBe('id_token_invalid alg');
  });

  const withClaims = (text: string | Buffer) => (token: string) =>
    token.replace(/\.[^.]*\./, `.${Buffer.from(text).toString('base64url')}.`);
  const withHeader = (text: string) => (token: string) =>
    token.replace(/^[^.]*/, Buffer.from(text).toString('base64url'));
  test.each<[string, (token: string) => string]>([
    ['two parts', (token) => token.split('.').slice(0, 2).join('.')],
    ['four parts', (token) => `${token}.AAAA`],
    ['five parts, an encrypted one', (token) => `${token}.AAAA.AAAA`],
    ['an empty part', () => '..'],
    ['padding', (token) => token.replace('.', '=.')],
    ['characters of plain base64', (token) => token.replace(/\.[^.]*$/, '.a+b/')],
    ['a header that is not JSON', withHeader('nonsense')],
    ['a header that is an array', withHeader('[]')],
    ['claims that are not JSON', withClaims('{"sub":')],
    ['claims that are null', withClaims('null')],
    ['claims that are not UTF-8', withClaims(Buffer.from('{"sub":"\xff"}', 'latin1'))],
    ['a claim twice', withClaims('{"sub":"a","sub":"b"}')],
    ['a claim twice, once escaped', withClaims('{"sub":"a","s\\u0075b":"b"}')],
    ['claims a thousand deep', withClaims(`${'{"a":'.repeat(1000)}1${'}'.repeat(1000)}`)],
    ['a line break', (token) => `${token}\n`],
  ])('with %s is rejected', async (_, change) => {
    expect(await codeWith('idToken', change)).toBe('id_token_invalid');
  });

  test('that is missing from the token response fails the sign-in', async () => {
    hostile.behaviour.token = without('id_token');
    expect(await outcomeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_missing');
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
