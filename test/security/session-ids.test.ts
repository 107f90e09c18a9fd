import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { siteFor } from '../integration/site.js';

type Site = ReturnType<typeof siteFor>;
type Agent = ReturnType<typeof supertest.agent>;

function sessionsOf({ sessions }: Site): Promise<Record<string, { clinician?: Record<string, { grantID: string }> }>> {
  return new Promise((resolve) => sessions.all((_error, all) => resolve((all ?? {}) as never)));
}

function cookiesOf(agent: Agent): string {
  return agent.jar.getCookies({ domain: '127.0.0.1', path: '/', secure: false, script: false }).toValueString();
}

test('an id that the site has not signed is never the id of a login, nor stored', async () => {
  const site = siteFor(provider);
  for (const planted of ['s%3Aplanted.AAAA', 'planted', 's%3Aplanted', "s%3A'%20OR%201%3D1.x", 's%3A__proto__.x']) {
    const agent = supertest.agent(site.app);
    agent.jar.setCookie(`connect.sid=${planted}`, '127.0.0.1', '/');
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    expect(cookiesOf(agent)).not.toContain(planted);
  }
  expect(Object.keys(await sessionsOf(site)).filter((id) => /planted|__proto__| OR /.test(id))).toEqual([]);
});

test('an id in the URL, in a header or in the body signs no user in', async () => {
  const site = siteFor(provider);
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  const pair = cookiesOf(agent);
  const [name, value] = pair.split('=') as [string, string];
  await supertest(site.app).get('/me').set('Cookie', pair).expect(200);
  await supertest(site.app).get(`/me?${pair}&sid=${value}&jsessionid=${value}`).expect(401);
  await supertest(site.app).get(`/me;jsessionid=${value}`).expect(404);
  await supertest(site.app)
    .get('/me')
    .set({ [name]: value, Authorization: `Bearer ${value}` })
    .expect(401);
  await supertest(site.app).post('/things').type('form').send(pair).expect(401);
});

test('the ids of sessions and grants are long, random and different', async () => {
  const site = siteFor(provider);
  for (let i = 0; i < 10; i++) await signIn(supertest.agent(site.app), provider, { as: 'verified' });
  const sessions = await sessionsOf(site);
  const ids = [
    ...Object.keys(sessions),
    ...Object.values(sessions).flatMap(({ clinician }) => Object.values(clinician ?? {}).map(({ grantID }) => grantID)),
  ];
  expect(new Set(ids).size).toBe(20);
  // 22 characters of base64url have 132 bits.
  for (const id of ids) expect(id).toMatch(/^[\w-]{22,}$/);
  for (let at = 0; at < 22; at++) expect(new Set(ids.map((id) => id[at])).size).toBeGreaterThan(3);
});

test('a further login, for more scope or for the password again, gets a new session id and ends the old session', async () => {
  const site = siteFor(provider, { scope: 'openid basic', optionalScope: 'email' });
  const agent = supertest.agent(site.app);
  await signIn(agent, provider, { as: 'verified' });
  for (const loginPath of ['/auth/login?scope=email', '/auth/login?prompt=login']) {
    const before = cookiesOf(agent);
    await signIn(agent, provider, { as: 'verified', loginPath });
    expect(cookiesOf(agent)).not.toBe(before);
    await supertest(site.app).get('/me').set('Cookie', before).expect(401);
    await agent.get('/me').expect(200);
  }
  expect(Object.keys(await sessionsOf(site))).toHaveLength(1);
});
