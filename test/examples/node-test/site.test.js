import assert from 'node:assert/strict';
import { after, afterEach, beforeEach, test } from 'node:test';
import { startMockProvider } from 'passport-clinician/mock-provider';
import { signIn } from 'passport-clinician/testing';
import request from 'supertest';
import { site } from './site.js';

const provider = await startMockProvider();
beforeEach(() => provider.reset());
afterEach((t) => {
  if (!t.passed) console.error(provider.problems, provider.trace());
});
after(() => provider.stop());

test('a verified clinician reads the notes', async () => {
  const agent = request.agent(site(provider));
  await signIn(agent, provider, { as: 'verified' });
  const notes = await agent.get('/notes').expect(200);
  assert.match(notes.text, /^notes of /);
});

test('a denied consent does not sign in', async () => {
  const agent = request.agent(site(provider));
  await signIn(agent, provider, { as: 'verified', deny: true });
  await agent.get('/notes').expect(401);
});

test('single sign-on: a session at the service signs in without the login page', async () => {
  const agent = request.agent(site(provider));
  await signIn(agent, provider, { as: 'verified' });
  await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(200);
  await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?prompt=none' });
  await agent.get('/notes').expect(200);
});
