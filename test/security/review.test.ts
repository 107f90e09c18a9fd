import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { DeniedError, deny, MemoryTokenStore, type TokenStore } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { loginOptions, siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };

/** A memory store that can be told to be down, or to lose what it has. */
function troubledStore() {
  const store = new MemoryTokenStore();
  const trouble = { down: false, loses: false };
  const troubled = new Proxy(store, {
    get(target, name) {
      const method = Reflect.get(target, name) as unknown;
      if (typeof method !== 'function') return method;
      return (...args: unknown[]) => {
        if (trouble.down) return Promise.reject(new Error('store down'));
        if (trouble.loses && name === 'get') return Promise.resolve(undefined);
        return (method as (...all: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { store: troubled as TokenStore, trouble };
}

describe('attack 189, 213: somebody whom nobody can name is nobody', () => {
  test('the profile flow without basic does not start', () => {
    expect(() => siteFor(provider, { flow: 'profile', scope: 'colleagues' })).toThrow(/must hold 'basic'/);
  });

  test('nor does a service sign anybody in that grants less than was asked', async () => {
    const narrowing: typeof fetch = async (url, init) => {
      const response = await fetch(url, { ...init, redirect: 'manual' });
      if (!String(url).endsWith('/oauth/token')) return response;
      return Response.json({ ...((await response.json()) as object), scope: 'colleagues' }, response);
    };
    const site = siteFor(provider, { flow: 'profile', fetch: narrowing as never });
    const agent = supertest.agent(site.app);
    const landed = await signIn(agent, provider, { as: 'verified' });
    expect(landed).toMatchObject({ status: 403, text: expect.stringContaining('did not identify the user') });
    await agent.get('/me').expect(401);
  });
});

test('attack 136, 218: attempts that another site starts never fill the header', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  const long = encodeURIComponent(`/${'\u00e9'.repeat(330)}`);
  for (let i = 0; i < 8; i++) {
    await agent.get(`/auth/login?prompt=consent&type=verify&returnTo=${long}`).set('Sec-Fetch-Site', 'cross-site');
  }
  await agent.get('/me').expect(401);
  for (let i = 0; i < 8; i++) await agent.get(`/auth/login?returnTo=${long}`).expect(302);
  const cookies = agent.jar
    .getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false })
    .toValueString();
  expect(cookies.length).toBeLessThan(9000);
  await signIn(agent, provider, { as: 'verified' });
  await agent.get('/me').expect(200);
});

test("an onError that rejects goes to the site's own error handler", async () => {
  const { app } = siteFor(provider, { onError: async () => Promise.reject(new Error('the log is down')) });
  const caught: unknown[] = [];
  app.use(((error, _req, res, _next) => {
    caught.push((error as Error).message);
    res.status(500).end();
  }) as import('express').ErrorRequestHandler);
  await supertest(app).get('/auth/callback?state=x').expect(500);
  expect(caught).toEqual(['the log is down']);
});

describe('a token store that is down', () => {
  test('attack 140: keeps nobody signed in who signs out', async () => {
    const { store, trouble } = troubledStore();
    const agent = supertest.agent(siteFor(provider, { tokenStore: store, onEvent: () => undefined }).app);
    await signIn(agent, provider, { as: 'verified' });
    trouble.down = true;
    await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(204);
    trouble.down = false;
    await agent.get('/me').expect(401);
  });
});

test('attack 148: a login whose tokens are lost at once is shown, and not sent round for ever', async () => {
  const { store, trouble } = troubledStore();
  const site = siteFor(provider, { tokenStore: store, onEvent: () => undefined });
  site.app.get('/strict', site.clinician.requireVerified({ maxAge: -1 }), (_req, res) => void res.send('in'));
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  trouble.loses = true;
  const page = await agent.get('/strict').set(browser).expect(401);
  expect(page.text).toContain('sign_in_required');
});

test('attack 150: whoever signs in second ends the tokens of the first', async () => {
  const store = new MemoryTokenStore();
  const agent = supertest.agent(siteFor(provider, { tokenStore: store }).app);
  await signIn(agent, provider, { as: 'verified' });
  await signIn(agent, provider, { as: 'connected' });
  expect(store.size).toBe(1);
  expect(provider.requests.filter(({ path, status }) => path === '/oauth/revoke' && status === 200)).toHaveLength(1);
});

describe('what onSignIn answers', () => {
  test('a user with a column called denied is a user', async () => {
    const agent = supertest.agent(siteFor(provider, { onSignIn: () => ({ id: 1, denied: false }) }).app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
  });

  test('a denial is one in any copy of this package, and a thrown DeniedError, too', async () => {
    for (const onSignIn of [
      () => deny('Surgeons only'),
      () => Promise.reject(new DeniedError('sign_in_refused', 'Surgeons only')),
    ]) {
      const landed = await signIn(supertest.agent(siteFor(provider, { onSignIn }).app), provider, { as: 'verified' });
      expect(landed).toMatchObject({ status: 403, text: expect.stringContaining('Surgeons only') });
    }
  });

  test('an id that is an object would be the same for everybody, so it is refused', async () => {
    const site = siteFor(provider, { onSignIn: () => ({ id: { oid: 1 } }), onEvent: () => undefined });
    const landed = await signIn(supertest.agent(site.app), provider, { as: 'verified' });
    expect(landed).toMatchObject({ status: 500, text: expect.stringContaining('user_id_invalid') });
  });
});

test('what comes after a logout is where forms may lead', () => {
  const { clinician } = siteFor(provider, { postLogoutRedirectURI: 'https://bye.example/out' });
  const { directives } = clinician.helmet().contentSecurityPolicy;
  expect(directives['form-action']).toEqual(["'self'", provider.issuer, 'https://bye.example']);
});

test('attack 95: neither the start nor the end of a login tells where it came from, and pages are never framed', async () => {
  const { app } = siteFor(provider);
  for (const path of ['/auth/login', '/auth/callback?state=x']) {
    const answer = await supertest(app).get(path).set(browser);
    expect(answer.headers['referrer-policy']).toBe('no-referrer');
    expect(answer.headers['cache-control']).toBe('no-store');
  }
  const page = await supertest(app).get('/auth/callback?state=x').set(browser);
  expect(page.headers['x-frame-options']).toBe('DENY');
});

test('attack 198: the error of a custom fetch does not take the request along', async () => {
  const { inspect } = await import('node:util');
  const planted: typeof fetch = (url, init) => {
    if (!String(url).endsWith('/oauth/token')) return fetch(url, { ...init, redirect: 'manual' });
    return Promise.reject(Object.assign(new Error('down'), { request: String(init?.body) }));
  };
  const caught: unknown[] = [];
  const site = siteFor(provider, {
    fetch: planted as never,
    onError: (error, _req, res) => {
      caught.push(error);
      res.status(error.status).end();
    },
  });
  await signIn(supertest.agent(site.app), provider, { as: 'verified' });
  const text = inspect(caught, { depth: 20, showHidden: true });
  expect(text).toContain('service_unreachable');
  expect(text).not.toMatch(/code_verifier|client_secret/);
  expect(loginOptions(provider).clientSecret).not.toBe('');
});
