import { request as httpsRequest } from 'node:https';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import request from 'supertest';
import { type MockProvider, startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { authorizeURL, codeOf, redeem, send, sendRaw, tokensOf } from '../wire.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const state = async () => (await send(provider, '/_mock/inspector/state.json')).json;
const tokenIn = (page: string) => /name="inspector-token" content="([\w-]{22,})"/.exec(page)?.[1] ?? '';
const host = () => new URL(provider.issuer).host;

async function press(button: string, body: unknown, headers: Record<string, string> = {}) {
  const token = tokenIn((await send(provider, '/')).text);
  return sendRaw(provider, {
    method: 'POST',
    path: `/_mock/inspector/do/${button}`,
    headers: { 'content-type': 'application/json', 'x-inspector-token': token, ...headers },
    body: JSON.stringify(body),
  });
}

describe('the page', () => {
  test('is at / with a policy that lets nothing in but its own files', async () => {
    const page = await send(provider, '/');
    expect(page.status).toBe(200);
    const policy = page.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toContain('unsafe');
    expect(page.text).not.toMatch(/<script(?![^>]* src=)|<style| on\w+=| style=/);
    const files = [...page.text.matchAll(/(?:src|href)="(\/_mock[^"]+)"/g)].map(([, file]) => file ?? '');
    expect(files).toContain('/_mock/inspector/inspector.js');
    for (const file of files) {
      expect([file, (await send(provider, file)).status]).toEqual([file, 200]);
    }
  });

  test('is at /_mock/inspector alone where a site shares the server', async () => {
    const site = express().use(provider.app);
    site.get('/', (_req, res) => void res.send('the site'));
    expect((await request(site).get('/')).text).toBe('the site');
    const page = await request(site).get('/_mock/inspector');
    expect(page.text).toContain('src="/_mock/inspector/inspector.js"');
    expect((await request(site).get('/_mock/inspector/inspector.js')).status).toBe(200);
  });

  test('is not there in production, nor behind a proxy, whose requests all look as if from here', async () => {
    const before = process.env.NODE_ENV;
    process.env.NODE_ENV = 'production';
    const inProduction = await startMockProvider({ allowInProduction: true });
    process.env.NODE_ENV = before;
    const behindProxy = await startMockProvider({ publicURL: 'https://auth.example' });
    try {
      expect((await inProduction.fetch(`${inProduction.issuer}/`)).status).toBe(404);
      expect((await behindProxy.fetch('https://auth.example/')).status).toBe(404);
    } finally {
      await Promise.all([inProduction.stop(), behindProxy.stop()]);
    }
  });

  test('is not recorded, and no fault strikes it', async () => {
    provider.faults.always('serverError', { endpoint: '/oauth/token' });
    expect((await send(provider, '/')).status).toBe(200);
    expect((await send(provider, '/_mock/inspector/state.json')).status).toBe(200);
    expect(provider.requests).toHaveLength(0);
  });
});

describe('strangers', () => {
  test('who come from elsewhere find nothing, as at the service itself', async () => {
    const respond = (remoteAddress: string, path: string) =>
      new Promise<number>((resolve) => {
        const req = { method: 'GET', url: path, headers: { host: host() }, socket: { remoteAddress } };
        const res = { writeHead: resolve, end: () => undefined, destroyed: false, headersSent: false };
        provider.app(req as never, res as never);
      });
    for (const path of ['/', '/_mock/inspector', '/_mock/inspector/state.json', '/_mock/inspector/do/reset']) {
      expect([path, await respond('203.0.113.9', path)]).toEqual([path, 404]);
    }
    expect(await respond('::ffff:127.0.0.1', '/')).toBe(200);
  });

  test.each(['/', '/_mock/inspector/state.json'])('under a rebound name are refused: %s', async (path) => {
    const { status, text } = await sendRaw(provider, { path, headers: { host: `rebound.example` } });
    expect([status, text.includes(provider.issuer)]).toEqual([403, true]);
    expect(text).not.toContain('inspector-token');
  });

  test('a page of another origin reads no state and presses no button', async () => {
    const path = '/_mock/inspector/state.json';
    const crossSite = { 'sec-fetch-site': 'cross-site' };
    expect((await sendRaw(provider, { path, headers: crossSite })).status).toBe(403);
    expect((await press('moveClock', { advance: '1 day' }, crossSite)).status).toBe(403);
    expect((await press('moveClock', { advance: '1 day' }, { origin: 'https://evil.example' })).status).toBe(403);
    expect(Math.abs(provider.clock.now() - Date.now())).toBeLessThan(5000);
  });

  test('a link from another site opens the page, and that is all', async () => {
    expect((await sendRaw(provider, { path: '/', headers: { 'sec-fetch-site': 'cross-site' } })).status).toBe(200);
  });

  test.each([{ 'x-inspector-token': '' }, { 'x-inspector-token': 'x'.repeat(32) }])(
    'who has not read the page presses no button: %j',
    async (headers) => {
      const { status, text } = await press('reset', {}, headers);
      expect([status, text.includes('reload it')]).toEqual([403, true]);
    },
  );

  test('buttons are those of the page, pressed by POST with JSON', async () => {
    expect((await press('registerClient', { flow: 'openid', redirectURIs: [] })).status).toBe(404);
    expect((await press('moveClock', { advance: '1 day' }, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send(provider, '/_mock/inspector/do/reset')).status).toBe(405);
    expect((await send(provider, '/', { method: 'POST' })).status).toBe(405);
    expect((await press('moveClock', { advance: '1 day' })).status).toBe(200);
    expect(provider.clock.now() - Date.now()).toBeGreaterThan(80_000_000);
  });
});

describe('what it shows', () => {
  const REFUSED = { code_verifier: undefined };

  test('a refused login with its reason, where it happened, and where the rule stands', async () => {
    const { openid } = provider.clients;
    await redeem(provider, openid, await codeOf(provider, openid), REFUSED);
    const [login] = (await state()).logins;
    expect(login).toMatchObject({
      login: 1,
      clinician: 'verified',
      flow: 'openid',
      verdict: { tone: 'bad', title: 'Refused' },
    });
    expect(login.steps.at(-2)).toMatchObject({
      from: 'browser',
      what: 'Approves',
      leadsTo: expect.stringContaining('/callback'),
    });
    expect(login.steps.at(-1)).toMatchObject({
      from: 'site',
      what: 'Redeems the code',
      status: 400,
      tone: 'bad',
      problems: [
        {
          reason: expect.stringContaining('code_verifier'),
          source: 'RFC 7636 section 4.6',
          rule: 'code-verifier-matches',
        },
      ],
    });
  });

  test('a site that never comes for its tokens, a person who waits, one who denies, one who is signed in', async () => {
    const { openid } = provider.clients;
    const newest = async () => (await state()).logins[0].verdict;
    await send(provider, authorizeURL(provider, openid).slice(provider.issuer.length));
    expect(await newest()).toMatchObject({ tone: 'wait', title: 'Waits for a person' });
    await codeOf(provider, openid, { state: 'one' });
    expect(await newest()).toMatchObject({ tone: 'wait', title: 'Under way' });
    provider.clock.advance('10 seconds');
    expect(await newest()).toMatchObject({ tone: 'bad', title: 'The site did not go on' });
    expect((await newest()).text.join(' ')).toContain('127.0.0.1 and localhost are two');
    await provider.signIn(authorizeURL(provider, openid, { prompt: 'consent' }), { as: 'verified', deny: true });
    expect(await newest()).toMatchObject({ tone: 'wait', title: 'Denied' });
    await tokensOf(provider, openid, { state: 'two' });
    expect(await newest()).toMatchObject({ tone: 'good', title: 'Signed in' });
  });

  test('a fault that struck, by its name and description', async () => {
    provider.faults.next('badSignature');
    await tokensOf(provider, provider.clients.openid);
    const { verdict, steps } = (await state()).logins[0];
    expect(verdict).toMatchObject({ tone: 'fault', title: 'Answered with a fault' });
    expect(verdict.text[0]).toMatch(/^The fault badSignature struck POST \/oauth\/token\. \w+/);
    expect(steps.at(-1).fault).toMatchObject({ name: 'badSignature', description: expect.stringMatching(/\w+ \w+/) });
  });

  test('a fault that looks like a denial, several at once, and a page that nobody ever answered', async () => {
    const { openid } = provider.clients;
    const newest = async () => (await state()).logins[0].verdict;
    provider.faults.next('authorizationError', { error: 'access_denied' });
    await provider.signIn(authorizeURL(provider, openid), { as: 'verified' });
    expect(await newest()).toMatchObject({ tone: 'fault', title: 'Stopped by a fault' });
    provider.faults.next('badSignature');
    provider.faults.next('delay', { delay: 1 });
    await tokensOf(provider, openid, { state: 'one' });
    expect((await newest()).text[0]).toMatch(/The fault \w+, \w+ struck POST \/oauth\/token\. .+\. .+\./);
    await send(provider, authorizeURL(provider, openid, { state: 'two' }).slice(provider.issuer.length));
    provider.clock.advance('2 hours');
    expect(await newest()).toMatchObject({ tone: 'wait', title: 'Abandoned' });
  });

  test('over TLS, too', async () => {
    const secure = await startMockProvider({ https: true });
    try {
      const { hostname, port } = new URL(secure.issuer);
      const statusOf = (path: string, origin: string) =>
        new Promise<number | undefined>((resolve, reject) => {
          const options = { host: hostname, port, path, ca: secure.ca, agent: false, headers: { origin } } as const;
          httpsRequest(options, (response) => resolve(response.resume().statusCode))
            .on('error', reject)
            .end();
        });
      expect(await statusOf('/_mock/inspector/state.json', secure.issuer)).toBe(200);
      expect(await statusOf('/_mock/inspector/state.json', 'https://evil.example')).toBe(403);
    } finally {
      await secure.stop();
    }
  });

  test('decision 7: no code, token, verifier, secret or password is in it', async () => {
    const { openid } = provider.clients;
    const code = await codeOf(provider, openid);
    const { json } = await redeem(provider, openid, code);
    const { text } = await send(provider, '/_mock/inspector/state.json');
    const secrets = [code, json.access_token, json.refresh_token, json.id_token, openid.clientSecret, 'dBjftJeZ4CVP'];
    for (const secret of secrets) expect(text).not.toContain(secret);
    expect(text).toContain('["password","[masked]"]');
  });

  test('304 while nothing happens', async () => {
    const first = await send(provider, '/_mock/inspector/state.json');
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await send(provider, '/_mock/inspector/state.json', { headers })).status).toBe(304);
    provider.faults.next('badSignature');
    expect((await send(provider, '/_mock/inspector/state.json', { headers })).status).toBe(200);
  });
});
