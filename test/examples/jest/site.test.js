import { signIn, signOut, withMockProvider } from 'passport-clinician/testing';
import request from 'supertest';
import { site } from './site.js';

test('a verified clinician reads the notes', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    const notes = await agent.get('/notes').expect(200);
    expect(notes.text).toMatch(/^notes of /);
  }));

test('a pending clinician reads the notes only after verification', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'pending' });
    await agent.get('/notes').expect(403);
    provider.clock.advance('4 days');
    await signIn(agent, provider, { as: 'pending' });
    await agent.get('/notes').expect(200);
  }));

test('a signed-out clinician cannot read the notes', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    await signOut(agent, provider);
    await agent.get('/notes').expect(401);
  }));

test('a forged ID Token does not sign in', () =>
  withMockProvider(async (provider) => {
    provider.faults.next('badSignature');
    const agent = request.agent(site(provider));
    const response = await signIn(agent, provider, { as: 'verified' });
    expect(response.status).toBe(502);
    await agent.get('/notes').expect(401);
  }));
