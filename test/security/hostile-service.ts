import { afterAll, afterEach, beforeAll } from '@jest/globals';
import supertest from 'supertest';
import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { HostileAuthorizationServer, json } from '../authorization-server/hostile-authorization-server.js';
import { type Site, type SiteOptions, siteFor } from '../integration/site.js';

/** A site that signs in at a hostile service, and what it knows of the sign-in. */
export interface HostileTest {
  service: HostileAuthorizationServer;
  /** Creates a site. Its routes `/call/...` call the resource API and respond with the code of the error, or `done`. */
  site(options?: SiteOptions): Site;
  /** Signs in at a site, by default at a new one. @returns the code of the error, or `done`, and the browser */
  signIn(site?: Site): Promise<{ code: string; agent: ReturnType<typeof supertest.agent> }>;
}

export const PROFILE = { id: 1, npi: 1234567893, first_name: 'Ann', verified: true };
export const PATHS = {
  metadata: '/.well-known/openid-configuration',
  jwks: '/.well-known/jwks.json',
  token: '/oauth/token',
  profile: '/api/v1/users/current',
  colleagues: '/api/v1/colleagues',
  rateLimit: '/api/v1/rate_limit',
} as const;

/** Starts a hostile service for the tests of a file. It responds correctly, unless a test replaces an endpoint. */
export function hostileTest(): HostileTest {
  const service = new HostileAuthorizationServer();
  const serve = () => {
    service.reset();
    service.behaviour.endpoints = {
      [PATHS.profile]: (_, response) => json(response, 200, PROFILE),
      [PATHS.colleagues]: (_, response) => json(response, 200, { items: [{ id: 2 }] }),
      [PATHS.rateLimit]: (_, response) => json(response, 200, { limit: 5000, remaining: 4000, reset: 1_800_000_100 }),
    };
  };
  beforeAll(async () => {
    await service.listen(0);
    serve();
  });
  afterEach(serve);
  afterAll(() => service.stop());

  function site(options: SiteOptions = {}): Site {
    const { clientID, clientSecret, issuer } = service;
    const clients = { openid: { clientID, clientSecret }, profile: { clientID, clientSecret } };
    const provider = { clients, issuer, apiURL: issuer } as unknown as MockProvider;
    const created = siteFor(provider, { clock: { now: () => service.now * 1000 }, onEvent: () => {}, ...options });
    const { app, clinician } = created;
    app.get('/call/:name', clinician.requireLogin(), async (req, res) => {
      const api = clinician.api(req);
      const calls: Record<string, () => Promise<unknown>> = {
        profile: () => api.profile(),
        colleagues: () => api.colleagues().page(1),
        rateLimit: () => api.rateLimit(),
        refresh: () => clinician.grant(req).refresh(),
      };
      const outcome = calls[req.params.name as string]?.().then(
        () => 'done',
        (error: { code?: string }) => error.code ?? String(error),
      );
      res.json({ code: await outcome });
    });
    return created;
  }

  return {
    service,
    site,
    async signIn({ app } = site()) {
      const agent = supertest.agent(app);
      const { headers, body } = await agent.get('/auth/login');
      if (headers.location === undefined) return { code: body.code, agent };
      const callback = await agent.get(`/auth/callback?${service.authorize(headers.location)}`);
      return { code: callback.status === 302 ? 'done' : callback.body.code, agent };
    },
  };
}
