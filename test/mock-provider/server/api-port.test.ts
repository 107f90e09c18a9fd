import { describe, expect, test } from '@jest/globals';
import {
  type MockProvider,
  type MockProviderOptions,
  startMockProvider,
} from '../../../lib/mock-provider/mock-provider.js';
import { freePort } from '../../helpers.js';
import { formOf, heading, textOf, Visitor } from '../visitor.js';
import { tokensOf } from '../wire.js';

const PROFILE = '/api/v1/users/current';
const NEW_MESSAGE = '/inbox/conversations/new_message';

const start = (options: MockProviderOptions = {}) => startMockProvider({ apiPort: 0, ...options });

const statusOf = async (url: string, init: RequestInit = {}) =>
  (await fetch(url, { redirect: 'manual', ...init })).status;

async function bearer(provider: MockProvider): Promise<Record<string, string>> {
  return { authorization: `Bearer ${(await tokensOf(provider, provider.clients.profile)).access_token}` };
}

describe('with apiPort', () => {
  test('the resource API has its own origin, and only there', async () => {
    await using provider = await start();
    expect(new URL(provider.apiURL).origin).not.toBe(new URL(provider.issuer).origin);
    const headers = await bearer(provider);
    for (const path of [PROFILE, '/api/v1/colleagues', '/api/v1/rate_limit']) {
      expect([path, await statusOf(provider.apiURL + path, { headers })]).toEqual([
        path,
        path.endsWith('colleagues') ? 403 : 200,
      ]);
      expect([path, await statusOf(provider.issuer + path, { headers })]).toEqual([path, 404]);
    }
  });

  test.each(['/oauth/authorize', '/oauth/token', '/.well-known/openid-configuration', '/_mock/clock', '/'])(
    'the origin of the API has no %s',
    async (path) => {
      await using provider = await start({ control: true });
      const { status, headers } = await fetch(provider.apiURL + path);
      expect([status, headers.get('x-rate-limit-limit')]).toEqual([404, '5000']);
      expect(await statusOf(provider.issuer + path, { headers: { accept: 'text/html' } })).not.toBe(404);
    },
  );

  test('a token that a site sends to the issuer is refused and reported', async () => {
    await using provider = await start();
    await fetch(provider.issuer + PROFILE, { headers: await bearer(provider) });
    expect(provider.problems.at(-1)).toMatchObject({
      rule: 'path-at-its-address',
      fix: expect.stringContaining('apiURL'),
    });
    expect(provider.report().findings.map(({ rule }) => rule)).toContain('credentials-out-of-place');
    await fetch(provider.apiURL + PROFILE, { headers: await bearer(provider) });
    provider.reset();
    await fetch(provider.apiURL + PROFILE, { headers: await bearer(provider) });
    expect(provider.report().findings.map(({ rule }) => rule)).not.toContain('credentials-out-of-place');
  });

  test('the inbox and its sign-in are at the origin of the API', async () => {
    await using provider = await start();
    expect(await statusOf(provider.issuer + NEW_MESSAGE)).toBe(404);
    const visitor = new Visitor({ issuer: provider.apiURL });
    const login = await visitor.follow(await visitor.get(`${NEW_MESSAGE}?subject=A%20case`));
    expect(heading(login)).toBe('Sign in');
    const draft = await visitor.signIn(login, 'verified');
    expect(heading(draft)).toBe('New message');
    const { action, hidden } = formOf(draft);
    const sent = await visitor.follow(
      await visitor.post(action, { ...hidden, to: 'pending', subject: 'A case', message: 'Please look.' }),
    );
    expect(textOf(sent)).toContain('Your message was sent.');
    expect(provider.inbox.messages('pending')).toHaveLength(1);
    expect((await visitor.get('/oauth/pages.css')).status).toBe(200);
  });

  test('the API is at the host name of publicURL, and at its path', async () => {
    const port = await freePort();
    await using provider = await start({ publicURL: 'http://localhost:4400/idp', apiPort: port });
    expect(provider.apiURL).toBe(`http://localhost:${port}/idp`);
    expect(await statusOf(`http://127.0.0.1:${port}/idp${PROFILE}`)).toBe(401);
  });

  test('a port in use fails the start, and no server remains', async () => {
    await using provider = await start();
    const { apiURL, issuer } = provider;
    const port = await freePort();
    const apiPort = Number(new URL(apiURL).port);
    await expect(startMockProvider({ port, apiPort })).rejects.toThrow(`apiPort ${apiPort} is in use.`);
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
    expect(await statusOf(`${issuer}/.well-known/jwks.json`)).toBe(200);
  });
});
