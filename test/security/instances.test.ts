import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express, { type Express } from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianLogin, type ClinicianLoginOptions, clinicianLogin, MemoryTokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, sameOriginForm, sealingSecret } from '../integration/site.js';

let provider: MockProvider;
let otherService: MockProvider;
beforeAll(async () => {
  [provider, otherService] = await Promise.all([startMockProvider(), startMockProvider()]);
});
afterEach(() => Promise.all([provider.reset(), otherService.reset()]));
afterAll(() => Promise.all([provider.stop(), otherService.stop()]));

/** Two instances, or two versions of one, that share the secret, the sessions, the tokens and the paths. */
function sharing(changes: () => Partial<ClinicianLoginOptions>, options: Partial<ClinicianLoginOptions> = {}) {
  const tokenStore = new MemoryTokenStore();
  const sessions = new session.MemoryStore();
  const site = (settings: Partial<ClinicianLoginOptions>): { app: Express; clinician: ClinicianLogin } => {
    const clinician = clinicianLogin(loginOptions(provider, { tokenStore, onEvent: () => undefined, ...settings }));
    const app = express();
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false, store: sessions }));
    app.use(clinician);
    app.get('/me', (req, res) => void res.json({ ...req.clinician, user: req.user ?? null }));
    app.get('/in', clinician.requireLogin(), (_req, res) => void res.send('in'));
    app.get('/draft', (req, res) => void res.json(Object.assign(req.session, { draft: 'draft' }).draft));
    app.get('/profile', async (req, res) => {
      const profile = async () => await clinician.api(req).profile();
      res.json(await profile().catch(({ code }) => ({ code })));
    });
    return { app, clinician };
  };
  return { one: site(options), other: site(changes()), tokenStore, sessions };
}

function profileFlow(): Partial<ClinicianLoginOptions> {
  const { clientID, clientSecret } = provider.clients.profile;
  return { flow: 'profile', scope: 'basic', clientID, clientSecret };
}

const differences: [string, () => Partial<ClinicianLoginOptions>][] = [
  ['issuer', () => ({ issuer: otherService.issuer, apiURL: otherService.apiURL })],
  ['client', () => ({ clientID: 'another-client' })],
  ['flow', () => profileFlow()],
  ['callback', () => ({ callbackURL: 'http://127.0.0.1:3000/auth/other', onSignIn: () => ({ id: 'staff' }) })],
];

describe.each(differences)('an instance with another %s', (_, changes) => {
  async function signedIn() {
    const sites = sharing(changes);
    const agent = supertest.agent(sites.one.app);
    await signIn(agent, provider, { as: 'verified' });
    /** The same browser at the other instance. */
    const there = supertest.agent(sites.other.app);
    there.jar = agent.jar;
    return { ...sites, agent, there };
  }

  test('does not accept the session, and sends none of its tokens', async () => {
    const { agent, there } = await signedIn();
    expect((await there.get('/me').expect(200)).body).toMatchObject({ isAuthenticated: false, user: null });
    await there.get('/in').expect(401);
    expect((await there.get('/profile')).body).toEqual({ code: 'sign_in_required' });
    expect(otherService.requests.filter(({ path }) => path.startsWith('/api/'))).toEqual([]);
    expect((await agent.get('/me')).body).toMatchObject({ isAuthenticated: true });
    await agent.get('/in').expect(200);
  });

  test('ends neither the login nor its tokens by forget()', async () => {
    const { agent, other, tokenStore } = await signedIn();
    const { id } = (await agent.get('/me')).body.user;
    await other.clinician.forget(id);
    await agent.get('/in').expect(200);
    expect(tokenStore.size).toBe(1);
    expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toEqual([]);
  });

  test.each(['logout', 'forget'])('ends the login with the session at POST /auth/%s', async (route) => {
    const { agent, there } = await signedIn();
    await there.post(`/auth/${route}`).set(sameOriginForm).expect(303);
    await agent.get('/in').expect(401);
  });

  test('does not finish a login attempt, which stays in progress', async () => {
    const { one, other } = sharing(changes);
    const agent = supertest.agent(one.app);
    const { headers } = await agent.get('/auth/login').expect(302);
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    const there = supertest.agent(other.app);
    there.jar = agent.jar;
    const { callbackURL = back.href } = changes();
    const refused = await there.get(new URL(callbackURL).pathname + back.search).expect(403);
    expect(refused.body).toMatchObject({ code: 'transaction_missing' });
    await agent.get(back.pathname + back.search).expect(302);
    await agent.get('/in').expect(200);
  });
});

test('a sign-in ends a login of another instance, also one that an attacker has planted in the session', async () => {
  const previous: object[] = [];
  const { one, other } = sharing(differences[0]?.[1] as () => object, {
    onSignIn({ identity, previousSession }) {
      previous.push(previousSession);
      return { id: identity.id };
    },
  });
  const attacker = supertest.agent(other.app);
  await signIn(attacker, otherService, { as: 'minimal' });
  await attacker.get('/draft').expect(200);
  const cookies = attacker.jar.getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false });
  const planted = cookies.map((cookie) => cookie.toValueString()).find((cookie) => cookie.startsWith('connect.sid='));
  const agent = supertest.agent(one.app);
  const there = supertest.agent(other.app);
  there.jar = agent.jar;
  agent.jar.setCookie(planted as string, '127.0.0.1', '/');
  await there.get('/in').expect(200);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/in').expect(200);
  await there.get('/in').expect(401);
  const planter = supertest.agent(one.app);
  planter.jar = attacker.jar;
  for (const request of [attacker, planter]) await request.get('/in').expect(401);
  expect(previous).toEqual([{}]);
});
