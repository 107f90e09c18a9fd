import assert from 'node:assert/strict';
import { test } from 'node:test';
import { signIn, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest';
import { site } from './site.js';

test('a verified clinician reads the notes', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    const notes = await agent.get('/notes').expect(200);
    assert.match(notes.text, /^notes of /);
  }));

test('single sign-on: a session at the service signs in without the login page', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(200);
    await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?prompt=none' });
    await agent.get('/notes').expect(200);
  }));
