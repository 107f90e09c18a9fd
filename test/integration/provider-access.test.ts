import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { logoutURLOf, type SiteOptions, sameOriginForm, signedInAt, siteFor } from './site.js';

let provider: MockProvider;
let server: Server;
beforeAll(async () => {
  let app = express();
  server = createServer((req, res) => app(req, res)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const publicURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/idp`;
  provider = await startMockProvider({ publicURL });
  app = express().use('/idp', provider.app);
});
afterEach(() => provider.reset());
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await provider.stop();
});

test.each(['openid', 'profile'] as const)(
  'with a provider below a path, sign-in, profile, colleagues, refresh and logout work in the %s flow',
  async (flow) => {
    const { app, clinician } = siteFor(provider, { clock: provider.clock, flow });
    app.get('/colleagues', clinician.requireLogin(), async (req, res) => {
      res.json(await clinician.api(req).colleagues().page(1));
    });
    const agent = await signedInAt(app, provider, 'connected');
    expect((await agent.get('/me').expect(200)).body).toMatchObject({ flow, verified: true });
    expect((await agent.get('/profile').expect(200)).body.email).toBe(provider.clinicians.get('connected').email);
    expect((await agent.get('/colleagues').expect(200)).body.totalEntries).toBe(1234);
    provider.clock.advance('2 hours');
    await agent.get('/profile').expect(200);
    expect(provider.requests.filter(({ form }) => form.grant_type === 'refresh_token')).toHaveLength(1);
    const response = await agent.post('/auth/logout').set(sameOriginForm);
    await agent.get('/me').expect(401);
    if (flow === 'profile') return;
    const atService = await fetch(await logoutURLOf(agent, response), { redirect: 'manual' });
    const back = new URL(String(atService.headers.get('location')));
    const page = await agent.get(back.pathname + back.search).expect(200);
    expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
    expect(provider.problems).toEqual([]);
  },
);

/** Starts a sign-in, which reads the metadata of the service. @returns the code of the error */
async function startAt(service: MockProvider, options: SiteOptions): Promise<string> {
  const { status, body } = await supertest(siteFor(service, options).app).get('/auth/login');
  return status === 302 ? 'started' : body.code;
}

test('the certificates of option ca are trusted', async () => {
  await using secure = await startMockProvider({ https: true });
  expect(await startAt(secure, {})).toBe('certificate_refused');
  expect(await startAt(secure, { ca: secure.ca })).toBe('started');
});

test('endpoints at the origins of allowedEndpointOrigins are accepted', async () => {
  const changing: typeof fetch = async (url, init) => {
    const document = (await (await fetch(url, init)).json()) as object;
    return Response.json({ ...document, token_endpoint: 'https://tokens.example/token' });
  };
  const options = { fetch: changing as never };
  expect(await startAt(provider, options)).toBe('metadata_endpoint_refused');
  expect(await startAt(provider, { ...options, allowedEndpointOrigins: ['https://tokens.example'] })).toBe('started');
});

test.each<[string, SiteOptions]>([
  ['the fetch of this package', {}],
  ['a fetch of the site', { fetch: fetch as never }],
])(
  'a request that the service does not respond to ends after option timeout: %s',
  async (_, options) => {
    provider.faults.next('noResponse', { endpoint: '/.well-known/openid-configuration' });
    expect(await startAt(provider, { timeout: 50, ...options })).toBe('service_unreachable');
  },
  8_000,
);
