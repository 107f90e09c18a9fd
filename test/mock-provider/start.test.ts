import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { profile, send, tokensOf } from './wire.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterAll(() => provider.stop());

describe('starting', () => {
  test('NODE_ENV=production stops it, unless it is told', async () => {
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = 'production';
    try {
      await expect(startMockProvider()).rejects.toThrow(/allowInProduction/);
      await (await startMockProvider({ allowInProduction: true })).stop();
    } finally {
      process.env.NODE_ENV = before;
    }
  });

  test('a bad option is one sentence with the fix', async () => {
    await expect(startMockProvider({ prot: 1 } as never)).rejects.toThrow(/port/);
    await expect(startMockProvider({ port: 70_000 })).rejects.toThrow(/port/);
    await expect(startMockProvider({ lifetimes: { code: '1 hour' } })).rejects.toThrow(/lifetimes\.code/);
    await expect(startMockProvider({ lifetimes: { accessToken: 'soon' } })).rejects.toThrow(/lifetimes\.accessToken/);
    await expect(startMockProvider({ port: Number(new URL(provider.issuer).port) })).rejects.toThrow(/in use/);
  });

  test('a name that nobody has is told with those there are', () => {
    expect(() => provider.clinicians.get('verifed')).toThrow(/Did you mean verified/);
    expect(() => provider.faults.next('badSignatur' as never)).toThrow(/badSignature/);
  });

  test('nothing of one provider is another one', async () => {
    const other = await startMockProvider();
    try {
      const { access_token } = await tokensOf(other, other.clients.openid, { scope: 'openid basic' });
      expect((await profile(provider, access_token)).status).toBe(401);
      expect((await profile(other, access_token)).status).toBe(200);
    } finally {
      await other.stop();
    }
  });
});

test('it speaks TLS when it is given a key and a certificate, and says so in a sentence when it is not', async () => {
  await expect(startMockProvider({ https: {} as never })).rejects.toThrow('https needs a key and a cert');
});

test.each([
  [{ spelling: 'camel' }, "spelling must be 'sample' or 'list' or 'both'"],
  [{ rateLimit: { limit: -1 } }, 'rateLimit.limit must be a whole number'],
  [{ rateLimit: { windw: 1 } }, 'Did you mean window?'],
  [{ refreshGraceMs: 1.5 }, 'refreshGraceMs must be a whole number'],
  [{ lifetimes: { refreshToken: 0 } }, 'lifetimes.refreshToken must be longer than nothing'],
  [{ issParameter: 'yes' }, 'issParameter must be true or false'],
  [{ blacklisted: 'no' }, "blacklisted must be 'silence' or 'forbidden'"],
  [{ clinicians: [{ username: 'verified' }] }, 'There is a clinician "verified" already'],
])('the option %j is refused in a sentence', async (options, sentence) => {
  await expect(startMockProvider(options as never)).rejects.toThrow(sentence);
});

test('two providers at once, each with its own everything', async () => {
  const [one, two] = await Promise.all([startMockProvider(), startMockProvider()]);
  one.clock.advance('1 day');
  one.faults.always('serverError');
  const { status } = await send(two, '/.well-known/jwks.json');
  const tokens = await tokensOf(two, two.clients.profile);
  await Promise.all([one.stop(), two.stop()]);
  expect([status, typeof tokens.access_token, two.requests.length > 0, one.requests.length]).toEqual([
    200,
    'string',
    true,
    0,
  ]);
  expect(one.clock.now() - two.clock.now()).toBeGreaterThan(80_000_000);
});
