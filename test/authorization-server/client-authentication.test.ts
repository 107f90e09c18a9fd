import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAuthorizationServer } from '../../lib/authorization-server/authorization-server.js';
import { clientSecretBasic } from '../../lib/authorization-server/client-authentication.js';
import { systemClock } from '../../lib/clock.js';
import { createFetch } from '../../lib/http.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { Secret } from '../../lib/secret.js';
import { codeOf, outcomeOf } from './sign-in.js';

/** @returns the credentials of the Authorization header, decoded from base64. */
async function credentials(clientID: string, clientSecret: string): Promise<string> {
  const headers = new Headers();
  await clientSecretBasic(clientSecret)({ issuer: '' }, { client_id: clientID }, new URLSearchParams(), headers);
  const [, base64 = ''] = /^Basic ([A-Za-z0-9]+=*)$/.exec(headers.get('authorization') ?? '') ?? [];
  return Buffer.from(base64, 'base64').toString('latin1');
}

describe('client_secret_basic', () => {
  test('a server that does not decode accepts letters, digits and -._*', async () => {
    expect(await credentials('a-clinic.example_1', 'Se-c_r.e*t')).toBe('a-clinic.example_1:Se-c_r.e*t');
  });

  // RFC 6749 appendix B has the example of the second row.
  test.each([
    ['a space', 's e', 's+e'],
    ['an example', ' %&+\u00a3\u20ac', '+%25%26%2B%C2%A3%E2%82%AC'],
    ['a colon', 'a:b', 'a%3Ab'],
    ['a slash', 'a/b=c', 'a%2Fb%3Dc'],
    ['a tilde', "!~'()", '%21%7E%27%28%29'],
    ['a character beyond the BMP', '\u{1f600}', '%F0%9F%98%80'],
  ])('%s is encoded in client id and secret', async (_, text, encoded) => {
    expect(await credentials(text, text)).toBe(`${encoded}:${encoded}`);
  });

  test('the encoding of every character is decoded as a form', async () => {
    const text = Array.from({ length: 0x300 }, (_, code) => String.fromCharCode(code)).join('');
    const [id, secret, ...rest] = (await credentials(text, text)).split(':');
    expect(rest).toEqual([]);
    for (const part of [id, secret]) expect(new URLSearchParams(`x=${part}`).get('x')).toBe(text);
  });

  // LemonLDAP::NG 2.16 reads the header up to the first character that is not a letter, a digit or _.
  test('the base64 text has no + and no /', async () => {
    const text = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join('');
    for (let start = 0; start < text.length; start += 1) {
      expect(await credentials('client', text.slice(start))).not.toBe('');
    }
  });
});

describe('a client of the mock provider', () => {
  let provider: MockProvider;
  beforeAll(async () => {
    provider = await startMockProvider();
  });
  afterAll(() => provider.stop());

  const redirectURI = 'http://127.0.0.1:3000/auth/callback';
  function clientWith(flow: 'openid' | 'profile', clientSecret: string, usedSecret = clientSecret) {
    const client = { flow, clientSecret, redirectURIs: [redirectURI], developer: randomUUID() };
    const { clientID } = provider.registerClient(client);
    return createAuthorizationServer({
      ...{ issuer: provider.issuer, clientID, clientSecret: new Secret(usedSecret), flow, redirectURI },
      ...{ clock: systemClock, fetch: createFetch() },
    });
  }
  const token = new Secret('unknown');
  const tokens = { accessToken: token, refreshToken: token, expiresAt: 0, scope: [], params: {} };

  // RFC 6749 appendix A has printable ASCII only.
  test.each(['a b', '100%', 'a+b', 'a:b', '%2B', 'a/b=', "!~'()*", 'a-b_c.d'])(
    'with the secret "%s" is authenticated',
    async (secret) => {
      for (const flow of ['openid', 'profile'] as const) {
        expect(await outcomeOf(clientWith(flow, secret).revoke(token))).toBe('done');
        expect(await codeOf(clientWith(flow, secret).refresh(tokens))).toBe('invalid_grant');
        expect(await codeOf(clientWith(flow, secret, `${secret}x`).revoke(token))).toBe('invalid_client');
      }
    },
  );
});
