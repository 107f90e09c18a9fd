import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type ClinicianEvent, MemoryTokenStore, type TokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

async function follow(agent: ReturnType<typeof supertest.agent>, path: string, as = 'verified') {
  const started = await agent.get(path).set(browser);
  const back = new URL(await provider.signIn(started.headers.location as string, { as, browser: agent }));
  return agent.get(back.pathname + back.search).set(browser);
}

test('attack 139: a link to the session check ends no login of the profile flow', async () => {
  for (const flow of ['openid', 'profile'] as const) {
    const agent = supertest.agent(siteFor(provider, { flow }).app);
    await signIn(agent, provider, { as: 'verified' });
    await follow(agent, '/auth/login?prompt=none&frame=check');
    await agent.get('/me').expect(200);
  }
});

test("a listener that rejects is nobody else's business", async () => {
  const agent = supertest.agent(siteFor(provider, { onEvent: async () => Promise.reject(new Error('log down')) }).app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});

test('a logout whose tokens could not be erased is told', async () => {
  const store = new MemoryTokenStore();
  let down = false;
  const troubled = new Proxy(store, {
    get: (target, name) => {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...all: unknown[]) =>
        down ? Promise.reject(new Error('down')) : (method as (...a: unknown[]) => unknown).apply(target, all);
    },
  });
  const events: ClinicianEvent[] = [];
  const options = { tokenStore: troubled as TokenStore, onEvent: (event: ClinicianEvent) => void events.push(event) };
  const agent = supertest.agent(siteFor(provider, options).app);
  await signIn(agent, provider, { as: 'verified' });
  down = true;
  await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(204);
  expect(events.map(({ name }) => name)).toEqual(expect.arrayContaining(['erasure_failed', 'signed_out']));
});

test('whoever asked to be forgotten is not signed in again without a question', async () => {
  const { app, clinician } = siteFor(provider);
  app.get(
    '/quiet',
    clinician.signInSilently(),
    (req, res) => void res.send(req.clinician.isAuthenticated ? 'in' : 'out'),
  );
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.post('/auth/forget').set('Sec-Fetch-Site', 'same-origin');
  await agent.get('/quiet').set(browser).expect(200, 'out');
});

test('a silent sign-in that cannot be started or is refused shows the page that was asked for', async () => {
  const broken = siteFor(provider, {
    onEvent: () => undefined,
    fetch: () => Promise.reject(new Error('down')),
  });
  const started = await supertest(broken.app).get('/auth/login?prompt=none&returnTo=/x').set(browser).expect(302);
  expect(started.headers.location).toBe('/x');
  const refusing = supertest.agent(siteFor(provider, { onSignIn: () => false }).app);
  await signIn(supertest.agent(siteFor(provider).app), provider, { as: 'verified' });
  const ended = await follow(refusing, '/auth/login?prompt=none&returnTo=/x');
  expect([ended.status, ended.headers.location]).toEqual([302, '/x']);
});

test('a profile kept under a number goes when the number is forgotten', async () => {
  const { clinician } = siteFor(provider);
  await clinician.profiles.recordAgreement(42, 'words');
  await clinician.forget('42');
  expect(await clinician.profiles.get(42)).toBeUndefined();
});

test('a session that ended while a session check was under way does not come back', async () => {
  let end: (() => void) | undefined;
  const fetchThrough: typeof provider.fetch = async (...request) => {
    const answer = await provider.fetch(...request);
    if (String(request[0]).endsWith('/oauth/token')) end?.();
    return answer;
  };
  const { app, sessions } = siteFor(provider, { fetch: fetchThrough });
  const agent = supertest.agent(app);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
  end = () => sessions.clear();
  await follow(agent, '/auth/login?prompt=none&frame=check');
  await agent.get('/me').expect(401);
});
