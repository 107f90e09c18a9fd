import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, siteFor } from '../integration/site.js';
import { expectUnblocked } from '../properties/property.js';

// Each test repeats a vulnerability that was published for another package.

const SCRIPT = '"><script>alert(1)</script>';
const FLOWS = ['openid', 'profile'] as const;

test('a script in the parameters of an error response is text on the page', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  const { headers } = await agent.get('/auth/login').expect(302);
  const state = new URL(headers.location as string).searchParams.get('state') as string;
  const query = new URLSearchParams({
    error: 'access_denied',
    error_description: SCRIPT,
    error_uri: 'javascript:alert(1)',
    state,
  });
  const page = await agent.get(`/auth/callback?${query}`).set(navigation).redirects(1);
  expect(page).toMatchObject({ status: 403, type: 'text/html' });
  expect(page.text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
  expect(page.text).not.toMatch(/<script|javascript:/);
  const unknown = new URLSearchParams({ error: SCRIPT, state: SCRIPT });
  const refused = await agent.get(`/auth/callback?${unknown}`).set(navigation).redirects(1);
  expect(refused.status).toBe(403);
  expect(refused.text).not.toContain('alert(1)');
});

test('no redirect of a login has a script of returnTo in its body or its header', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  const started = await agent.get(`/auth/login?returnTo=${encodeURIComponent(`/${SCRIPT}`)}`).set(navigation);
  const back = new URL(await provider.signIn(started.headers.location as string, { as: 'verified' }));
  const ended = await agent.get(back.pathname + back.search).set(navigation);
  const guarded = await supertest(siteFor(provider).app).get(`/deep/thing?q=${SCRIPT}`).set(navigation);
  for (const { status, text, headers } of [started, ended, guarded]) {
    expect(status).toBe(302);
    expect(text + headers.location).not.toContain('<script');
  }
});

test('a query that qs once turned into an array of 100 million entries does not block other requests', async () => {
  const { app } = siteFor(provider);
  app.set('query parser', 'extended');
  const query = 'a[__proto__]=b&a[__proto__]&a[length]=100000000&state[__proto__]=x&returnTo[length]=100000000';
  for (const path of ['/', '/me', '/auth/login', '/auth/callback', '/auth/logged-out', '/auth/session-check']) {
    const { status } = await expectUnblocked(async () => await supertest(app).get(`${path}?${query}`));
    expect(status).toBeLessThan(500);
  }
  expect(({} as { length?: unknown }).length).toBeUndefined();
});

describe('a guarded handler', () => {
  test('is not called for a refused request, whatever the response to it is', async () => {
    const { app, clinician } = siteFor(provider, { session: { cookie: { sameSite: 'strict' } } });
    let calls = 0;
    for (const [path, guard] of [
      ['/login', clinician.requireLogin()],
      ['/verified', clinician.requireVerified()],
      ['/scope', clinician.requireScope('colleagues')],
      ['/recent', clinician.requireRecentLogin({ maxAge: 0 })],
    ] as const) {
      app.all(`/guarded${path}`, guard, (_req, res) => {
        calls += 1;
        res.send('protected');
      });
    }
    const pending = supertest.agent(app);
    await signIn(pending, provider, { as: 'pending' });
    const framed = { ...navigation, 'Sec-Fetch-Dest': 'iframe' };
    const fromOtherSite = { ...navigation, 'Sec-Fetch-Site': 'cross-site' };
    const signedOut = supertest(app);
    for (const headers of [navigation, framed, fromOtherSite, {}]) {
      for (const path of ['login', 'verified', 'scope', 'recent']) {
        for (const response of [
          await signedOut.get(`/guarded/${path}`).set(headers),
          await signedOut.post(`/guarded/${path}`).set(headers),
        ]) {
          expect(response.text).not.toContain('protected');
        }
      }
      expect((await pending.get('/guarded/verified').set(headers)).text).not.toContain('protected');
    }
    expect(calls).toBe(0);
    await pending.get('/guarded/login').expect(200, 'protected');
  });
});

describe('a user is identified by the id of the service only', () => {
  test.each(FLOWS)('also with the email address and the name of another user, in the %s flow', async (flow) => {
    const { app } = siteFor(provider, { flow });
    const idOf = async (as: string): Promise<string> => {
      const agent = supertest.agent(app);
      await signIn(agent, provider, { as });
      return (await agent.get('/me').expect(200)).body.user.id;
    };
    const ids = { victim: await idOf('verified'), attacker: await idOf('minimal') };
    const { email, fullName, npi } = provider.clinicians.get('verified') as Record<'email' | 'fullName', string> & {
      npi: number;
    };
    provider.clinicians.update('verified', { email: 'new@clinic.example' });
    provider.clinicians.update('minimal', { email, fullName, npi, verified: true });
    expect({ victim: await idOf('verified'), attacker: await idOf('minimal') }).toEqual(ids);
    expect(ids.victim).not.toBe(ids.attacker);
  });
});

describe('a scope that the browser changes in the authorization request', () => {
  test.each(FLOWS)('gives no access to a resource that the user did not approve, in the %s flow', async (flow) => {
    const { app, clinician } = siteFor(provider, { flow });
    app.get('/colleagues', clinician.requireLogin(), async (req, res) => {
      const result = await clinician
        .api(req)
        .colleagues()
        .page(1)
        .catch((error: { code: string }) => error.code);
      res.json({ result });
    });
    const agent = supertest.agent(app);
    const url = new URL((await agent.get('/auth/login').expect(302)).headers.location as string);
    url.searchParams.set('scope', flow === 'openid' ? 'openid basic' : 'basic');
    const back = new URL(await provider.signIn(url.href, { as: 'verified' }));
    await agent.get(back.pathname + back.search).expect(302);
    expect((await agent.get('/colleagues').expect(200)).body).toEqual({ result: 'scope_missing' });
    if (flow === 'openid') expect((await agent.get('/me')).body.scope).toEqual(['openid', 'basic']);
  });
});
