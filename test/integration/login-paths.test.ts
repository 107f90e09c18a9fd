import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type ClinicianEvent, deny, type FlowName, MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { LOGIN_PATHS, siteOf } from './login-paths.js';
import { logoutURLOf, navigation, type SiteOptions, sameOriginForm, sameOriginScript, signedInAt } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider({ apiPort: 0 });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const requestsTo = (path: string) => provider.requests.filter((one) => one.path === path);
const flows = ['openid', 'profile', 'profile', 'openid'] as const;
describe.each(LOGIN_PATHS.map((path, index) => ({ path, flow: flows[index] as FlowName })))(
  'a login by: $path, in the $flow flow',
  ({ path, flow }) => {
    /** Signs in. */
    async function signedIn(as = 'verified', options: SiteOptions = {}) {
      const tokenStore = new MemoryTokenStore();
      const events: ClinicianEvent[] = [];
      const onEvent = (event: ClinicianEvent) => events.push(event);
      const site = siteOf(provider, path, { flow, tokenStore, onEvent, ...options });
      const agent = supertest.agent(site.app);
      const page = await signIn(agent, provider, { as, loginPath: '/auth/login?returnTo=%2Fme' });
      return { ...site, agent, page, tokenStore, events };
    }

    test('returns to returnTo, with req.clinician and req.user', async () => {
      const { page, events } = await signedIn();
      const { sub, id } = provider.clinicians.get('verified');
      const userID = flow === 'openid' ? sub : String(id);
      expect(page.body).toEqual({
        isAuthenticated: true,
        identity: { id: userID, issuer: provider.issuer, serviceID: String(id) },
        flow,
        scope: expect.arrayContaining(['basic', 'colleagues', 'email']),
        verified: true,
        verification: 'verified',
        user: { id: userID },
      });
      expect(events.map(({ name }) => name)).toEqual(['sign_in_started', 'signed_in']);
    });

    test('onSignIn maps the clinician to the user of the site', async () => {
      const onSignIn = () => ({ id: 7, role: 'surgeon' });
      const { page, clinician, agent } = await signedIn('verified', { onSignIn });
      expect(page.body.user).toEqual({ id: 7, role: 'surgeon' });
      await clinician.forget(7);
      await agent.get('/me').expect(401);
    });

    test('passes requireVerified() and requireScope() only with the verified flag and the scope', async () => {
      const { agent } = await signedIn('pending');
      expect((await agent.get('/notes').expect(403)).body).toMatchObject({ code: 'verification_pending' });
      expect((await agent.get('/verification')).body).toBe('pending');
      provider.clinicians.update('pending', { verified: true });
      await agent.get('/notes').expect(200, 'notes');
      await agent.get('/email').expect(200, 'email');
    });

    test('has the resource API, a refresh, and a revocation that ends it', async () => {
      const { agent } = await signedIn();
      expect((await agent.get('/profile').expect(200)).body.npi).toBe(provider.clinicians.get('verified').npi);
      await agent.post('/refresh').expect(200);
      expect(requestsTo('/oauth/token')).toHaveLength(2);
      await agent.post('/revoke').expect(200);
      expect(requestsTo('/oauth/revoke')).toHaveLength(1);
      await agent.get('/me').expect(401);
    });

    test('ends with a sign-out, which revokes and continues at the service', async () => {
      const { agent, tokenStore } = await signedIn();
      const response = await agent.post('/auth/logout').set(sameOriginForm);
      if (flow === 'openid')
        expect((await logoutURLOf(agent, response)).href).toMatch(`${provider.issuer}/oauth/logout?`);
      else expect(response.headers.location).toBe('/auth/logged-out');
      expect([requestsTo('/oauth/revoke').length, tokenStore.size]).toEqual([1, 0]);
      await agent.get('/').expect(200, [false, null]);
    });

    test('ends with forget, in every session', async () => {
      const { agent, app } = await signedIn();
      const other = await signedInAt(app, provider);
      await agent.post('/auth/forget').set(sameOriginForm).expect(303);
      await other.get('/me').expect(401);
      expect(requestsTo('/oauth/revoke')).toHaveLength(2);
    });

    test('is replaced by a further login, and the tokens before are revoked', async () => {
      const { agent, tokenStore, sessions } = await signedIn('verified');
      const page = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?prompt=login' });
      expect(page.body[0]).toBe(true);
      expect([requestsTo('/oauth/revoke').length, tokenStore.size]).toEqual([1, 1]);
      expect(JSON.stringify(sessions).match(/grantID/g)).toHaveLength(1);
    });

    test('is refused by a denial at the service and by onSignIn, and no tokens remain', async () => {
      const { app, tokenStore, agent } = await signedIn('verified', { onSignIn: () => deny('Surgeons only') });
      await agent.get('/').expect(200, [false, null]);
      expect([requestsTo('/oauth/revoke').length, tokenStore.size]).toEqual([1, 0]);
      const other = supertest.agent(app);
      const { headers } = await other.get('/auth/login').expect(302);
      const back = new URL(await provider.signIn(headers.location as string, { as: 'minimal', deny: true }));
      const { status } = await other.get(back.pathname + back.search);
      expect([401, 403]).toContain(status);
      await other.get('/').expect(200, [false, null]);
    });

    test('guards lead to it and back', async () => {
      const { app } = siteOf(provider, path, { flow });
      const agent = supertest.agent(app);
      const { headers } = await agent.get('/me').set(navigation).expect(302);
      expect(headers.location).toBe('/auth/login?returnTo=%2Fme');
      const page = await signIn(agent, provider, { as: 'verified', loginPath: headers.location as string });
      expect(page.body.isAuthenticated).toBe(true);
      await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    });

    test('has the session state for the session check', async () => {
      const { agent } = await signedIn();
      const { text } = await agent.get('/auth/session-check').expect(200);
      expect(text.includes('data-session-state="')).toBe(flow === 'openid');
    });
  },
);
