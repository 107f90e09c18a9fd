import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { Visitor } from '../mock-provider/visitor.js';
import { logoutURLOf, type SiteOptions, sameOriginForm, siteFor } from './site.js';

/** A provider, and the fetch through which the site and the clinician's browser reach it. */
interface ProviderAccess {
  provider: MockProvider;
  fetch: typeof fetch;
  stop(): Promise<void>;
}

async function listen(handler: Parameters<typeof createServer>[1]): Promise<{ server: Server; origin: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Requests to the provider go to another server, which calls its handler. */
async function handledBy(
  handlerOf: (provider: MockProvider) => Parameters<typeof createServer>[1],
): Promise<ProviderAccess> {
  const provider = await startMockProvider();
  const { server, origin } = await listen(handlerOf(provider));
  return {
    provider,
    fetch: (input, init) => fetch(String(input).replace(provider.issuer, origin), init),
    async stop() {
      await close(server);
      await provider.stop();
    },
  };
}

/** The URL of the provider is a path of another server. */
async function belowPath(): Promise<ProviderAccess> {
  let app = express();
  const { server, origin } = await listen((req, res) => app(req, res));
  const provider = await startMockProvider({ publicURL: `${origin}/idp` });
  app = express().use('/idp', provider.app);
  return {
    provider,
    fetch,
    async stop() {
      await close(server);
      await provider.stop();
    },
  };
}

const PROVIDER_ACCESS: Readonly<Record<string, () => Promise<ProviderAccess>>> = {
  'provider.app': () => handledBy((provider) => (req, res) => provider.app(req, res)),
  'provider.app in Express, below a path': belowPath,
};

describe.each(Object.entries(PROVIDER_ACCESS))('a provider behind %s', (_name, open) => {
  let access: ProviderAccess;
  beforeAll(async () => {
    access = await open();
  });
  afterEach(() => access.provider.reset());
  afterAll(() => access.stop());

  function site(options: SiteOptions = {}) {
    const { app, clinician } = siteFor(access.provider, {
      fetch: access.fetch,
      clock: access.provider.clock,
      ...options,
    });
    app.get('/colleagues', clinician.requireLogin(), async (req, res) => {
      res.json(await clinician.api(req).colleagues().page(1));
    });
    return { agent: supertest.agent(app), visitor: new Visitor(access.provider, access.fetch) };
  }

  /** Signs in on the pages of the provider. @returns the site's response to the callback. */
  async function signIn({ agent, visitor }: ReturnType<typeof site>, decision = 'approve') {
    const { headers } = await agent.get('/auth/login').expect(302);
    const authorizeURL = new URL(headers.location as string);
    const login = await visitor.get(authorizeURL.pathname + authorizeURL.search);
    const consent = await visitor.signIn(login, 'connected');
    const { location } = await visitor.submit(consent, { decision, approve_email: 'yes' });
    const callback = new URL(location);
    const response = await agent.get(callback.pathname + callback.search).set('Accept', 'text/html');
    // A failed sign-in is shown at a URL without the authorization response.
    return response.headers.location === callback.pathname
      ? agent.get(callback.pathname).set('Accept', 'text/html')
      : response;
  }

  test.each(['openid', 'profile'] as const)(
    'sign-in, profile, colleagues, refresh and logout work in the %s flow',
    async (flow) => {
      const clinician = site({ flow });
      const { agent, visitor } = clinician;
      expect((await signIn(clinician)).headers.location).toBe('/');
      expect((await agent.get('/me').expect(200)).body).toMatchObject({ flow, verified: true });
      expect((await agent.get('/profile').expect(200)).body.email).toBe(
        access.provider.clinicians.get('connected').email,
      );
      expect((await agent.get('/colleagues').expect(200)).body.totalEntries).toBe(1234);
      access.provider.clock.advance('2 hours');
      await agent.get('/profile').expect(200);
      expect(access.provider.requests.filter(({ form }) => form.grant_type === 'refresh_token')).toHaveLength(1);
      const response = await agent.post('/auth/logout').set(sameOriginForm);
      await agent.get('/me').expect(401);
      if (flow === 'profile') return;
      const logoutURL = await logoutURLOf(agent, response);
      const back = new URL((await visitor.get(logoutURL.pathname + logoutURL.search)).location);
      const page = await agent.get(back.pathname + back.search).expect(200);
      expect(page.text).toContain('You are signed out of this site and of the sign-in service.');
      expect(access.provider.problems).toEqual([]);
    },
  );

  test.each(['reset', 'noResponse'] as const)('the fault %s at the token endpoint fails the sign-in', async (fault) => {
    access.provider.faults.next(fault, { endpoint: '/oauth/token' });
    const withTimeout: typeof fetch = (input, init) =>
      access.fetch(input, String(input).endsWith('/oauth/token') ? { ...init, signal: AbortSignal.timeout(50) } : init);
    const clinician = site({ fetch: fault === 'noResponse' ? withTimeout : access.fetch });
    expect((await signIn(clinician)).status).toBeGreaterThanOrEqual(500);
    await clinician.agent.get('/me').expect(401);
  });
});
