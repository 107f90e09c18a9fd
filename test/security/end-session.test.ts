import { expect, test } from '@jest/globals';
import supertest from 'supertest';
import {
  endSessionURL,
  logoutURLOf,
  navigation,
  refreshOf,
  sameOriginForm,
  sameOriginScript,
} from '../integration/site.js';
import { hostileTest } from './hostile-service.js';

const hostile = hostileTest();

const ID_TOKEN = /eyJ[\w-]+\.[\w-]+/;
const pageView = { ...navigation, 'Sec-Fetch-Site': 'same-origin' };

async function signedIn(options: Parameters<typeof hostile.site>[0] = {}) {
  const site = hostile.site(options);
  return { ...site, ...(await hostile.signIn(site)) };
}

test('a script that signs out receives a path of the site, and the ID Token in no response', async () => {
  const { agent } = await signedIn();
  const { body, headers } = await agent.post('/auth/logout').set(sameOriginScript).expect(200);
  expect(body).toEqual({ url: '/auth/end-session' });
  expect(String(headers['set-cookie'])).toMatch(/clinician-[\w-]{6}-end-session-3000=[\w-]+; Max-Age=60; .*HttpOnly/);
  for (const mode of ['cors', 'no-cors', 'same-origin']) {
    const response = await agent.get(body.url).set({ Accept: 'text/html', 'Sec-Fetch-Mode': mode }).expect(302);
    expect(response.headers.location).toBe('/auth/logged-out');
    expect(JSON.stringify([response.text, response.headers, headers])).not.toMatch(ID_TOKEN);
  }
  // The navigation that follows still continues at the service.
  const { text, headers: next } = await agent.get(body.url).set(pageView);
  expect(text + next.location).toMatch(ID_TOKEN);
});

test('the page after the sign-out form contains no ID Token: it leads to the same path', async () => {
  const { agent } = await signedIn();
  const { text } = await agent.post('/auth/logout').set(sameOriginForm).expect(200);
  expect(text).not.toMatch(ID_TOKEN);
  expect(refreshOf(text)).toBe('/auth/end-session');
  expect((await endSessionURL(agent, '/auth/end-session')).searchParams.get('id_token_hint')).toMatch(ID_TOKEN);
});

test('the path continues at the service once, in the browser that signed out', async () => {
  const { agent, app } = await signedIn();
  const toLoggedOut = async (browser: typeof agent) =>
    expect((await browser.get('/auth/end-session').set(pageView).expect(302)).headers.location).toBe(
      '/auth/logged-out',
    );
  await toLoggedOut(agent);
  await logoutURLOf(agent, await agent.post('/auth/logout').set(sameOriginForm));
  await toLoggedOut(agent);
  await toLoggedOut(supertest.agent(app));
});

test('the path does not end the session at the service of a user who has signed in again', async () => {
  const site = await signedIn();
  await site.agent.post('/auth/logout').set(sameOriginForm).expect(200);
  const { headers } = await site.agent.get('/auth/login').expect(302);
  await site.agent.get(`/auth/callback?${hostile.service.authorize(String(headers.location))}`).expect(302);
  const response = await site.agent.get('/auth/end-session').set(pageView).expect(302);
  expect(response.headers.location).toBe('/auth/logged-out');
  await site.agent.get('/me').expect(200);
});

test('login attempts in progress make room for the ID Token of a sign-out', async () => {
  const { agent } = await signedIn();
  for (let attempt = 0; attempt < 5; attempt += 1) await agent.get('/auth/login').set(pageView).expect(302);
  const { body } = await agent.post('/auth/logout').set(sameOriginScript).expect(200);
  expect((await endSessionURL(agent, body.url)).searchParams.get('id_token_hint')).toMatch(ID_TOKEN);
});

test('an ID Token that is too long for a cookie is posted after the form; a script signs out of this site only', async () => {
  hostile.service.behaviour.claims = (claims) => ({ ...claims, groups: 'x'.repeat(2000) });
  const { agent } = await signedIn();
  const { text, headers } = await agent.post('/auth/logout').set(sameOriginForm).expect(200);
  expect(text).toContain('data-clinician-submit');
  expect(headers['content-security-policy']).toMatch(/^sandbox /);
  const other = await signedIn();
  const { body } = await other.agent
    .post('/auth/logout')
    .set(sameOriginScript)
    .expect(200, { url: '/auth/logged-out' });
  expect((await other.agent.get(body.url).set(pageView).expect(200)).text).toContain(
    'You may still be signed in at the sign-in service',
  );
});
