import { createHmac, createPublicKey } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { HostileAuthorizationServer } from './hostile-authorization-server.js';
import { clientOf, codeOf, errorOf, outcomeOf, signIn, testClock } from './sign-in.js';
import { testKeys } from './test-keys.js';

type Members = Record<string, unknown>;

const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const without = (name: string) => (members: Members) => {
  const { [name]: _, ...rest } = members;
  return rest;
};
const withMember = (name: string, value: unknown) => (members: Members) => ({ ...members, [name]: value });
const NOW = 1_800_000_000;

describe('an ID Token', () => {
  let hostile: HostileAuthorizationServer;
  beforeAll(async () => {
    hostile = await HostileAuthorizationServer.start();
  });
  afterEach(() => hostile.reset());
  afterAll(() => hostile.stop());

  const codeWith = (part: 'claims' | 'header' | 'idToken', change: (value: never) => unknown) => {
    Object.assign(hostile.behaviour, { [part]: change });
    return codeOf(signIn(hostile, clientOf(hostile)));
  };

  test('attack 9, 16, 178: signs in when everything is right, both audiences and azp included', async () => {
    const { tokens } = await signIn(hostile, clientOf(hostile));
    expect(tokens).toMatchObject({ subject: hostile.subject, authTime: NOW - 5, scope: ['openid'] });
    expect(tokens.idToken?.reveal().split('.')).toHaveLength(3);
  });

  const mallet = 'https://mallet.example';
  test.each<[string, (claims: Members) => Members, string]>([
    ['attack 10: another issuer', withMember('iss', mallet), 'id_token_issuer_mismatch'],
    [
      'attack 10: the issuer with a slash more',
      (claims) => ({ ...claims, iss: `${claims.iss}/` }),
      'id_token_issuer_mismatch',
    ],
    ['no issuer', without('iss'), 'id_token_issuer_mismatch'],
    ['attack 11: no subject', without('sub'), 'id_token_claim_missing'],
    ['attack 11: an empty subject', withMember('sub', ''), 'id_token_claim_missing'],
    ['attack 11: a numeric subject', withMember('sub', 42), 'id_token_claim_missing'],
    ['attack 11: a subject of an object', withMember('sub', { id: 1 }), 'id_token_claim_missing'],
    ['a subject with a line break', withMember('sub', 'a\nb'), 'id_token_claim_missing'],
    ['a subject of 256 characters', withMember('sub', 'x'.repeat(256)), 'id_token_claim_missing'],
    ['attack 12: another audience', withMember('aud', 'someone'), 'id_token_audience_mismatch'],
    ['attack 29: no audience', without('aud'), 'id_token_audience_mismatch'],
    ['an empty audience', withMember('aud', []), 'id_token_audience_mismatch'],
    ['an audience of an object', withMember('aud', { 0: 'client one' }), 'id_token_audience_mismatch'],
    [
      'an audience without the client',
      (claims) => ({ ...claims, aud: [claims.iss, 'someone'] }),
      'id_token_audience_mismatch',
    ],
    [
      'attack 179: a third audience',
      (claims) => ({ ...claims, aud: [...(claims.aud as string[]), 'third'] }),
      'id_token_audience_mismatch',
    ],
    [
      'an audience array with a non-text',
      (claims) => ({ ...claims, aud: [claims.azp, 1] }),
      'id_token_audience_mismatch',
    ],
    ['attack 178: two audiences and no azp', without('azp'), 'id_token_azp_mismatch'],
    ['attack 178: another azp', withMember('azp', 'someone'), 'id_token_azp_mismatch'],
    [
      'another azp beside a sole audience',
      (claims) => ({ ...claims, aud: claims.azp, azp: 'someone' }),
      'id_token_azp_mismatch',
    ],
    ['a null azp', withMember('azp', null), 'id_token_azp_mismatch'],
    ['attack 20: another nonce', withMember('nonce', 'other'), 'id_token_nonce_mismatch'],
    ['attack 20: no nonce', without('nonce'), 'id_token_nonce_mismatch'],
    ['attack 20: a null nonce', withMember('nonce', null), 'id_token_nonce_mismatch'],
    [
      "attack 31, 100: another access token's at_hash",
      withMember('at_hash', 'AAAAAAAAAAAAAAAAAAAAAA'),
      'id_token_at_hash_mismatch',
    ],
    ['an empty at_hash', withMember('at_hash', ''), 'id_token_at_hash_mismatch'],
    ['an at_hash of another type', withMember('at_hash', 1), 'id_token_at_hash_mismatch'],
    ['attack 13: no iat', without('iat'), 'id_token_claim_missing'],
    ['no exp', without('exp'), 'id_token_claim_missing'],
    ['attack 177: exp as text', withMember('exp', String(NOW + 60)), 'id_token_claim_missing'],
    ['attack 177: iat as text', withMember('iat', String(NOW)), 'id_token_claim_missing'],
    ['attack 177: nbf as text', withMember('nbf', String(NOW)), 'id_token_claim_missing'],
    ['attack 177: a null exp', withMember('exp', null), 'id_token_claim_missing'],
    ['attack 177: auth_time as text', withMember('auth_time', String(NOW)), 'id_token_claim_missing'],
    ['auth_time in the future', withMember('auth_time', NOW + 61), 'id_token_issued_in_future'],
    ['attack 183: a logout token', withMember('events', {}), 'id_token_malformed'],
  ])('%s is refused', async (_, change, code) => {
    expect(await codeWith('claims', change)).toBe(code);
  });

  test.each<[string, (claims: Members) => Members]>([
    ['the client as its sole audience, and no azp', (claims) => without('azp')({ ...claims, aud: claims.azp })],
    ['the client as its sole audience in an array', (claims) => without('azp')({ ...claims, aud: [claims.azp] })],
    ['attack 31: no at_hash', without('at_hash')],
    ['no auth_time, when none was asked for', without('auth_time')],
    ['claims that nobody here knows', withMember('__proto__x', { deep: [1] })],
  ])('signs in with %s', async (_, change) => {
    hostile.behaviour.claims = change;
    expect((await signIn(hostile, clientOf(hostile))).tokens.subject).toBe(hostile.subject);
  });

  test('attack 177: exp, nbf and iat are tolerated to 60 seconds, and no further', async () => {
    const outcome = (claims: (claims: Members) => Members) => {
      Object.assign(hostile.behaviour, { claims });
      return outcomeOf(signIn(hostile, clientOf(hostile)));
    };
    const valid = withMember('iat', NOW - 9000);
    expect(await outcome((claims) => ({ ...valid(claims), exp: NOW - 59 }))).toBe('done');
    expect(await outcome((claims) => ({ ...valid(claims), exp: NOW - 60 }))).toBe('id_token_expired');
    expect(await outcome(withMember('nbf', NOW + 60))).toBe('done');
    expect(await outcome(withMember('nbf', NOW + 61))).toBe('id_token_not_yet_valid');
    expect(await outcome(withMember('iat', NOW + 60))).toBe('done');
    expect(await outcome(withMember('iat', NOW + 61))).toBe('id_token_issued_in_future');
  });

  test.each([1_000_000_000, 1_800_000_000, 3_900_000_000])(
    "time is the clock's that was passed in (%d), for openid-client too",
    async (seconds) => {
      hostile.now = seconds;
      const clock = testClock(seconds);
      const { tokens } = await signIn(hostile, clientOf(hostile, { clock }));
      expect(tokens.expiresAt).toBe((seconds + 1800) * 1000);
      clock.advance(3600);
      expect(await codeOf(signIn(hostile, clientOf(hostile, { clock })))).toBe('id_token_expired');
    },
  );

  test('attack 180: max_age and prompt=login want a fresh auth_time', async () => {
    const outcome = (authTime: number | undefined, parameters: object) => {
      hostile.behaviour.claims = authTime === undefined ? without('auth_time') : withMember('auth_time', authTime);
      return outcomeOf(signIn(hostile, clientOf(hostile), parameters));
    };
    expect(await outcome(NOW - 160, { maxAge: 100 })).toBe('done');
    expect(await outcome(NOW - 161, { maxAge: 100 })).toBe('id_token_auth_time_too_old');
    expect(await outcome(undefined, { maxAge: 100 })).toBe('id_token_claim_missing');
    expect(await outcome(NOW - 60, { maxAge: 0 })).toBe('done');
    expect(await outcome(NOW - 60, { prompt: 'login' })).toBe('done');
    expect(await outcome(NOW - 61, { prompt: 'consent login' })).toBe('id_token_auth_time_too_old');
    expect(await outcome(undefined, { prompt: 'login' })).toBe('id_token_claim_missing');
    expect(await outcome(NOW - 9000, { prompt: 'consent' })).toBe('done');
    expect(await outcome(NOW - 100, { prompt: 'login', maxAge: 9000 })).toBe('id_token_auth_time_too_old');
  });

  test.each<[string, (header: Members) => Members, string]>([
    ['attack 17, 170: alg none', withMember('alg', 'none'), 'id_token_algorithm_refused'],
    ['attack 170: alg nOnE', withMember('alg', 'nOnE'), 'id_token_algorithm_refused'],
    ['attack 170: an empty alg', withMember('alg', ''), 'id_token_algorithm_refused'],
    ['attack 170: no alg', without('alg'), 'id_token_algorithm_refused'],
    ['attack 170: an array of algs', withMember('alg', ['RS256']), 'id_token_algorithm_refused'],
    ['attack 32: alg ES256', withMember('alg', 'ES256'), 'id_token_algorithm_refused'],
    ['attack 32: alg PS256', withMember('alg', 'PS256'), 'id_token_algorithm_refused'],
    ['attack 172: crit', withMember('crit', ['exp']), 'id_token_malformed'],
    ['attack 172: an empty crit', withMember('crit', []), 'id_token_malformed'],
    ["attack 183: an access token's typ", withMember('typ', 'at+jwt'), 'id_token_malformed'],
    ["attack 183: a logout token's typ", withMember('typ', 'logout+jwt'), 'id_token_malformed'],
    ['a typ of another type', withMember('typ', 1), 'id_token_malformed'],
    ['a kid of another type', withMember('kid', 1), 'id_token_malformed'],
    ['attack 174: kid __proto__', withMember('kid', '__proto__'), 'id_token_key_unknown'],
    ['attack 174: kid ../../x', withMember('kid', '../../x'), 'id_token_key_unknown'],
    ['attack 174: kid of 50 kB', withMember('kid', 'k'.repeat(50_000)), 'id_token_key_unknown'],
    ['attack 174: an SQL kid', withMember('kid', "' OR 1=1 --"), 'id_token_key_unknown'],
  ])('%s is refused', async (_, change, code) => {
    expect(await codeWith('header', change)).toBe(code);
  });

  test.each(['JWT', 'jwt', 'application/jwt'])('signs in with typ %s', async (typ) => {
    hostile.behaviour.header = withMember('typ', typ);
    expect((await signIn(hostile, clientOf(hostile))).tokens.subject).toBe(hostile.subject);
  });

  test('attack 18: a forged signature is refused', async () => {
    expect(await codeWith('idToken', (token: string) => `${token.slice(0, -6)}AAAAAA`)).toBe(
      'id_token_signature_invalid',
    );
  });

  test('attack 18: claims changed after signing are refused', async () => {
    const change = (token: string) => {
      const [header, claims = '', signature] = token.split('.');
      const members = JSON.parse(Buffer.from(claims, 'base64url').toString());
      return [header, encode({ ...members, sub: 'mallet' }), signature].join('.');
    };
    expect(await codeWith('idToken', change)).toBe('id_token_signature_invalid');
  });

  test('attack 18: another key under the right kid is refused', async () => {
    hostile.behaviour.signingKey = testKeys.rogue;
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_signature_invalid');
  });

  test('attack 171: a key that the token brings along is never used, nor an address in it fetched', async () => {
    hostile.behaviour.signingKey = testKeys.rogue;
    const { kty, n, e } = createPublicKey({ key: testKeys.rogue, format: 'jwk' }).export({ format: 'jwk' });
    hostile.behaviour.header = (header) => ({
      ...header,
      jwk: { kty, n, e, kid: header.kid },
      jku: `${hostile.issuer}/mallet/jwks.json`,
      x5u: `${hostile.issuer}/mallet/x5u`,
      x5c: ['AAAA'],
    });
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_signature_invalid');
    expect(hostile.requests.filter(({ path }) => path.includes('mallet'))).toEqual([]);
  });

  const publicKey = createPublicKey({ key: testKeys.first, format: 'jwk' });
  test.each<[string, string]>([
    ['the public key in PEM', publicKey.export({ format: 'pem', type: 'spki' }).toString()],
    ['the client secret', "s3cret-with+odd%characters:=and more'"],
    ['nothing', ''],
  ])('attack 32, 170: HS256 keyed with %s is refused', async (_, key) => {
    const forge = (token: string) => {
      const text = [encode({ alg: 'HS256', kid: testKeys.first.kid }), token.split('.')[1]].join('.');
      return `${text}.${createHmac('sha256', key).update(text).digest('base64url')}`;
    };
    expect(await codeWith('idToken', forge)).toBe('id_token_algorithm_refused');
  });

  test('attack 170: alg none without a signature is refused', async () => {
    const code = await codeWith('idToken', (token: string) => `${encode({ alg: 'none' })}.${token.split('.')[1]}.`);
    expect(code).toBe('id_token_malformed');
  });

  test('attack 170: what the metadata says of algorithms changes nothing', async () => {
    hostile.behaviour.metadata = (document) => ({
      ...document,
      id_token_signing_alg_values_supported: ['none', 'ES256'],
    });
    expect((await signIn(hostile, clientOf(hostile))).tokens.subject).toBe(hostile.subject);
    expect(await codeWith('header', withMember('alg', 'ES256'))).toBe('id_token_algorithm_refused');
  });

  const part = (text: string) => Buffer.from(text).toString('base64url');
  test.each<[string, (token: string) => unknown]>([
    ['two parts', (token) => token.split('.').slice(0, 2).join('.')],
    ['four parts', (token) => `${token}.AAAA`],
    ['attack 244: five parts, an encrypted one', (token) => `${token}.AAAA.AAAA`],
    ['an empty part', () => '..'],
    ['padding', (token) => token.replace('.', '=.')],
    ['characters of plain base64', (token) => token.replace(/\.[^.]*$/, '.a+b/')],
    ['a header that is no JSON', (token) => token.replace(/^[^.]*/, part('nonsense'))],
    ['a header that is an array', (token) => token.replace(/^[^.]*/, part('[]'))],
    ['claims that are no JSON', (token) => token.replace(/\.[^.]*\./, `.${part('{"sub":')}.`)],
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
      'UTF-8 that is broken inside a text',
      (token) => token.replace(/\.[^.]*\./, `.${Buffer.from('{"sub":"\xff"}', 'latin1').toString('base64url')}.`),
    ],
    ['half a megabyte', () => `${'A'.repeat(500_000)}.e30.AAAA`],
    ['a line break', (token) => `${token}\n`],
  ])('attack 181: %s is refused', async (_, change) => {
    expect(await codeWith('idToken', change)).toBe('id_token_malformed');
  });

  test('attack 181: one with claims of a hundred kilobytes is refused, though it is signed', async () => {
    expect(await codeWith('claims', withMember('padding', 'x'.repeat(100_000)))).toBe('id_token_malformed');
  });

  test('attack 182: a token response without one signs nobody in', async () => {
    hostile.behaviour.token = without('id_token');
    expect(await codeOf(signIn(hostile, clientOf(hostile)))).toBe('id_token_missing');
  });

  test("attack 99: nothing of a refused answer comes out, and it is not the person's to mend", async () => {
    hostile.behaviour.claims = withMember('nonce', 'other');
    const error = await errorOf(signIn(hostile, clientOf(hostile)));
    expect(error).toMatchObject({ name: 'ProtocolError', status: 502, remedy: 'investigate', retryable: false });
  });

  test('in the profile flow an ID Token that nobody asked for is left aside', async () => {
    hostile.behaviour.token = withMember('id_token', 'not.even.one');
    const { tokens } = await signIn(hostile, clientOf(hostile, { flow: 'profile' }));
    expect(tokens.idToken).toBeUndefined();
    expect(tokens.params.id_token).toBeUndefined();
  });
});
