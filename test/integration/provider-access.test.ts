import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { Visitor } from '../mock-provider/visitor.js';
import { logoutURLOf, type SiteOptions, sameOriginForm, siteFor } from './site.js';

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

/** A site whose provider is a path of another server. */
function site(options: SiteOptions = {}) {
  const { app, clinician } = siteFor(provider, { clock: provider.clock, ...options });
  app.get('/colleagues', clinician.requireLogin(), async (req, res) => {
    res.json(await clinician.api(req).colleagues().page(1));
  });
  return { agent: supertest.agent(app), visitor: new Visitor(provider, fetch) };
}

/** Signs in on the pages of the provider. @returns the site's response to the callback. */
async function signIn({ agent, visitor }: ReturnType<typeof site>) {
  const { headers } = await agent.get('/auth/login').expect(302);
  const authorizeURL = new URL(headers.location as string);
  const login = await visitor.get(authorizeURL.pathname + authorizeURL.search);
  const consent = await visitor.signIn(login, 'connected');
  const { location } = await visitor.submit(consent, { decision: 'approve', approve_email: 'yes' });
  const callback = new URL(location);
  const response = await agent.get(callback.pathname + callback.search).set('Accept', 'text/html');
  // A failed sign-in is shown at a URL without the authorization response.
  return response.headers.location === callback.pathname
    ? agent.get(callback.pathname).set('Accept', 'text/html')
    : response;
}

test.each(['openid', 'profile'] as const)(
  'with a provider below a path, sign-in, profile, colleagues, refresh and logout work in the %s flow',
  async (flow) => {
    const clinician = site({ flow });
    const { agent, visitor } = clinician;
    expect((await signIn(clinician)).headers.location).toBe('/');
    expect((await agent.get('/me').expect(200)).body).toMatchObject({ flow, verified: true });
    expect((await agent.get('/profile').expect(200)).body.email).toBe(provider.clinicians.get('connected').email);
    expect((await agent.get('/colleagues').expect(200)).body.totalEntries).toBe(1234);
    provider.clock.advance('2 hours');
    await agent.get('/profile').expect(200);
    expect(provider.requests.filter(({ form }) => form.grant_type === 'refresh_token')).toHaveLength(1);
    const response = await agent.post('/auth/logout').set(sameOriginForm);
    await agent.get('/me').expect(401);
    if (flow === 'profile') return;
    const logoutURL = await logoutURLOf(agent, response);
    const back = new URL((await visitor.get(logoutURL.pathname + logoutURL.search)).location);
    const page = await agent.get(back.pathname + back.search).expect(200);
    expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
    expect(provider.problems).toEqual([]);
  },
);
