import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import {
  endSessionURL,
  navigation,
  refreshOf,
  sameOriginForm,
  sameOriginScript,
  siteFor,
} from '../integration/site.js';
import { ALL_LOGIN_PATHS, siteAt } from '../integration/strategy-site.js';

type Agent = ReturnType<typeof supertest.agent>;

const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document' };
const PURPOSES = [
  { 'Sec-Purpose': 'prefetch' },
  { 'Sec-Purpose': 'prefetch;prerender' },
  { Purpose: 'Preview' },
  { 'X-Purpose': 'preview' },
  { 'X-Moz': 'prefetch' },
  // Turbo and htmx.
  { 'X-Sec-Purpose': 'prefetch' },
  { 'HX-Preloaded': 'true' },
];

/** express-session sets its cookie in each response, after this package. */
const session = { rolling: true, saveUninitialized: true };

/** Sends every kind of speculative request. Each is refused, without a cookie of this package. */
async function speculate(agent: Agent, path: string): Promise<void> {
  const authorized = provider.requests.length;
  for (const purpose of PURPOSES) {
    const { status, headers } = await agent.get(path).set({ ...pageView, ...purpose });
    const cookies = ((headers['set-cookie'] ?? []) as string[]).filter((cookie) => !cookie.startsWith('connect.sid='));
    expect({ purpose, status, cache: headers['cache-control'], cookies }).toEqual({
      ...{ purpose, status: 503, cache: 'no-store', cookies: [] },
    });
  }
  expect(provider.requests.length).toBe(authorized);
}

describe.each(ALL_LOGIN_PATHS)('a speculative request, by: %s', (path) => {
  test('starts no sign-in, and uses none up', async () => {
    const tokenStore = new MemoryTokenStore();
    const { app, sessions } = siteAt(provider, path, { tokenStore, session });
    const agent = supertest.agent(app);
    await agent.get('/').expect(200);
    const before = JSON.stringify(sessions);
    await speculate(agent, '/auth/login?returnTo=%2Fme');
    if (path !== 'strategy') await speculate(agent, '/me');
    await agent.head('/auth/login').set({ 'Sec-Purpose': 'prefetch' }).expect(503);
    expect(JSON.stringify(sessions)).toBe(before);
    const { headers } = await agent.get('/auth/login?returnTo=%2Fme').set(pageView).expect(302);
    const { pathname, search } = new URL(await provider.signIn(headers.location as string, { as: 'verified' }));
    await speculate(agent, pathname + search);
    expect(tokenStore.size).toBe(0);
    await agent
      .get(pathname + search)
      .set(pageView)
      .expect(302);
    await speculate(agent, '/auth/login');
    const { body } = await agent
      .get('/me')
      .set({ ...pageView, 'Sec-Purpose': 'prefetch' })
      .expect(200);
    expect(body.isAuthenticated).toBe(true);
  });
});

test('a speculative request continues and finishes no sign-out', async () => {
  const agent = supertest.agent(siteFor(provider, { session }).app);
  await signIn(agent, provider, { as: 'verified' });
  const path = refreshOf((await agent.post('/auth/logout').set(sameOriginForm)).text);
  await speculate(agent, path);
  const url = await endSessionURL(agent, path);
  const back = `/auth/logged-out?state=${url.searchParams.get('state')}`;
  await speculate(agent, back);
  await agent
    .get(back)
    .set(pageView)
    .expect(200, /signed out/);
});

test('a speculative request starts no silent sign-in, no check, and no login of clinician.login()', async () => {
  const { app, clinician } = siteFor(provider, { session });
  app.get('/silent', clinician.signInSilently(), (_req, res) => void res.send('page'));
  app.get('/own', (req, res) => clinician.login(req, res));
  const agent = supertest.agent(app);
  await agent.get('/').expect(200);
  await speculate(agent, '/silent');
  await speculate(agent, '/own');
  await agent.get('/silent').set(pageView).expect(302);
  await signIn(agent, provider, { as: 'verified' });
  await agent.post('/auth/session-check').set(sameOriginScript).expect(200, { event: 'session-changed' });
  await speculate(agent, '/me');
  await agent.get('/me').set(pageView).expect(302);
});

test('a prefetched page of a signed-in user, a style sheet and a frame of such a page are sent', async () => {
  const agent = supertest.agent(siteFor(provider).app);
  await signIn(agent, provider, { as: 'verified' });
  for (const path of ['/me', '/auth/session-check', '/auth/clinician.js', '/auth/clinician.css', '/auth/logout'])
    await agent
      .get(path)
      .set({ ...navigation, 'Sec-Purpose': 'prefetch;prerender' })
      .expect(200);
});
