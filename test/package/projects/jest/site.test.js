const request = require('supertest');
const { startMockProvider } = require('passport-clinician/mock-provider');
const { signIn, withMockProvider } = require('passport-clinician/testing');
const { site } = require('./site.js');

test('a verified clinician reads the notes', async () => {
  const provider = await startMockProvider();
  try {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified' });
    const notes = await agent.get('/notes').expect(200);
    expect(notes.text).toMatch(/^notes of /);
  } finally {
    await provider.stop();
  }
});

test('a clinician who denies cannot read the notes', () =>
  withMockProvider(async (provider) => {
    const agent = request.agent(site(provider));
    await signIn(agent, provider, { as: 'verified', deny: true });
    await agent.get('/notes').expect(401);
  }));
