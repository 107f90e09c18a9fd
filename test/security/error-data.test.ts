import { inspect } from 'node:util';
import { afterEach, describe, expect, test } from '@jest/globals';
import type { Response as Reply } from 'supertest';
import supertest from 'supertest';
import { createFetch, type Fetch } from '../../lib/http/http.js';
import { json, type ReceivedRequest } from '../authorization-server/hostile-authorization-server.js';
import { navigation, type SiteOptions } from '../integration/site.js';
import { hostileTest, PATHS } from './hostile-service.js';

const hostile = hostileTest();
const { service } = hostile;
const realFetch = createFetch();

/** Everything that the site of a test received about errors. */
const reported: unknown[] = [];
afterEach(() => {
  reported.length = 0;
});

/** @returns a site that records its errors and events. */
function site(options: SiteOptions = {}) {
  const onError: SiteOptions['onError'] = (error, _req, res) => {
    reported.push(error, JSON.stringify(error));
    res.status(error.status).json({ code: error.code, detail: error.message });
  };
  return hostile.site({ onEvent: (event) => void reported.push(event), onError, ...options });
}

/** @returns what `util.inspect` prints of it, with everything that is not enumerable, and what getters return. */
function printed(): string {
  const errors = reported.flatMap((one) =>
    one instanceof Error ? [one.message, String(one.stack), one.cause] : [one],
  );
  return [...reported, ...errors]
    .map((one) => inspect(one, { depth: 30, showHidden: true, getters: true, maxStringLength: null }))
    .join('\n');
}

// test/errors/safe-text.test.ts has each encoding of a credential, and each part of an exception.
describe.each(['openid', 'profile'] as const)('the client secret in the %s flow', (flow) => {
  const options: SiteOptions = { flow, scope: flow === 'profile' ? 'basic' : 'openid' };
  const encoded = () => new URLSearchParams([['', service.clientSecret]]).toString().slice(1);
  const header = () => Buffer.from(`${encodeURIComponent(service.clientID)}:${encoded()}`).toString('base64');
  const expectNoSecret = () => {
    const output = printed();
    for (const text of [service.clientSecret, encoded(), header()]) expect(output).not.toContain(text);
  };

  test.each(['error_description', 'error_uri', 'error'])(
    'in the member %s of an error is not printed',
    async (name) => {
      const value = () => `${name === 'error_uri' ? 'https://docs.example/?' : ''}Received ${encoded()}, ${header()}.`;
      service.behaviour.endpoints[PATHS.token] = (_request, response) =>
        json(response, 400, { error: 'invalid_request', [name]: value() });
      await hostile.signIn(site(options));
      expect(reported).not.toEqual([]);
      expectNoSecret();
    },
  );

  // Of words, which do not look like a credential.
  test('in an exception of a custom fetch is not printed', async () => {
    const clientSecret = 'correct horse battery';
    const fetch: Fetch = (url, init) => {
      if (!url.endsWith(PATHS.token)) return realFetch(url, init);
      const sent = `sent ${clientSecret}`;
      return Promise.reject(Object.assign(new Error(sent, { cause: new Error(sent) }), { request: init }));
    };
    expect((await hostile.signIn(site({ ...options, clientSecret, fetch }))).code).toBe('service_unreachable');
    expect(printed()).not.toContain(clientSecret);
  });
});

describe('a token', () => {
  const TOKENS = /planted-(?:access|refresh|code)-\d|eyJ[\w-]+\.|code_verifier=/;

  test.each<[string, (request: ReceivedRequest) => Record<string, unknown>]>([
    ['of the request', ({ form: sent }) => ({ error_description: `Received ${sent}` })],
    ['of the response', () => ({ access_token: 'planted-access-9', error_description: 'Not planted-access-9.' })],
    [
      'of no known request',
      () => ({ error_description: `Not Bearer planted-access-9, nor ${'planted-refresh-8'.repeat(2)}.` }),
    ],
  ])('%s in an error of the token endpoint is not printed', async (_, members) => {
    service.behaviour.endpoints[PATHS.token] = (request, response) =>
      json(response, 400, { error: 'invalid_request', ...members(request) });
    await hostile.signIn(site());
    expect(reported).not.toEqual([]);
    expect(printed()).not.toMatch(TOKENS);
  });

  test('in a response that is not valid HTTP is not printed', async () => {
    service.behaviour.endpoints[PATHS.token] = (_, { socket }) => {
      const body = JSON.stringify({ access_token: 'planted-access-1' });
      socket?.end(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n${body}`);
    };
    const { code } = await hostile.signIn(site());
    expect(code).toBe('response_malformed');
    expect(printed()).toContain('HPE_');
    expect(printed()).not.toMatch(/planted|rawPacket|<Buffer/);
  });

  test('in an exception of a custom fetch for the resource API is not printed', async () => {
    const failing: Fetch = (url, init) => {
      if (!url.includes('/api/')) return realFetch(url, init);
      const cause = Object.assign(new Error(`sent ${JSON.stringify(init)}`), { request: init });
      return Promise.reject(new AggregateError([cause], `sent ${JSON.stringify(init)}`, { cause }));
    };
    const created = site({ fetch: failing });
    created.app.get('/error', async (req, res) => {
      reported.push(
        await created.clinician
          .api(req)
          .profile()
          .catch((error: unknown) => error),
      );
      res.end();
    });
    const { agent } = await hostile.signIn(created);
    await agent.get('/error').expect(200);
    expect(printed()).toContain('service_unreachable');
    expect(printed()).not.toMatch(TOKENS);
  });
});

describe('text from the token endpoint', () => {
  const description = 'Words of the service. <b>Call 555-0100</b>';
  async function replies(flow: 'openid' | 'profile'): Promise<Reply[]> {
    service.behaviour.endpoints[PATHS.token] = (_, response) =>
      json(response, 400, { error: 'invalid_request', error_description: description });
    const all: Reply[] = [];
    for (const headers of [{ Accept: 'application/json' }, navigation]) {
      const agent = supertest.agent(hostile.site({ flow, ...(flow === 'profile' && { scope: 'basic' }) }).app);
      const { location = '' } = (await agent.get('/auth/login').set(headers)).headers;
      const reply = await agent.get(`/auth/callback?${service.authorize(location)}`).set(headers);
      all.push(reply, ...(reply.status === 302 ? [await agent.get('/auth/callback').set(headers)] : []));
    }
    return all;
  }

  test.each(['openid', 'profile'] as const)('does not reach the browser in the %s flow', async (flow) => {
    const all = await replies(flow);
    expect(all.map(({ text }) => text).join()).toContain('invalid_request');
    for (const { text, headers } of all) {
      expect(text).not.toMatch(/Words of|555-0100/);
      expect(decodeURIComponent(JSON.stringify(headers))).not.toMatch(/Words of|555-0100/);
    }
  });
});

describe('a redirect that a custom fetch follows', () => {
  const following: Fetch = (url, init) => globalThis.fetch(url, { ...init, redirect: 'follow' } as RequestInit);

  test.each(Object.entries(PATHS))('to other %s is refused', async (name, path) => {
    const original = service.behaviour.endpoints[path];
    service.behaviour.endpoints['/elsewhere'] = (request, response) =>
      original ? original(request, response) : json(response, 200, {});
    service.behaviour.endpoints[path] = (_, response) => response.writeHead(307, { location: '/elsewhere' }).end();
    const { code, agent } = await hostile.signIn(site({ fetch: following, profileRequired: name === 'profile' }));
    const call = name === 'colleagues' || name === 'rateLimit';
    expect(call ? (await agent.get(`/call/${name}`)).body.code : code).toBe('response_malformed');
  });
});
