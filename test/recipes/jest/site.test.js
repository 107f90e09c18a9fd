const { signIn, signOut, withMockProvider } = require('passport-clinician/testing');
const request = require('supertest');
const { site } = require('./site.js');

test('a verified clinician reads the notes', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    const notes = await agent.get('/notes').expect(200);
    expect(notes.text).toMatch(/^notes of /);
  }));

test('a pending clinician does not, until verification is through', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'pending' });
    await agent.get('/notes').expect(403);
    provider.clock.advance('4 days');
    await signIn(agent, provider, { as: 'pending' });
    await agent.get('/notes').expect(200);
  }));

test('a clinician who signed out does not', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    await signOut(agent, provider);
    await agent.get('/notes').expect(401);
  }));

test('nobody signs in with a forged ID Token', () =>
  withMockProvider(async (provider) => {
    provider.faults.next('badSignature');
    const agent = request.agent(site(provider));
    const answer = await signIn(agent, provider, { as: 'verified' });
    expect(answer.status).toBe(502);
    await agent.get('/notes').expect(401);
  }));
