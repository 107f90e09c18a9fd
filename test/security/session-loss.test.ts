import { describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { withNodeEnv } from '../helpers.js';
import { LOGIN_PATHS, siteOf } from '../integration/login-paths.js';
import { loginOptions, navigation, sameOriginScript, sealingSecret } from '../integration/site.js';

describe.each(LOGIN_PATHS)('a site that signs in by: %s', (path) => {
  test('and loses its session shows an error at the guarded page and the login route, not a redirect loop', async () => {
    const codes: unknown[] = [];
    const onEvent = ({ code }: ClinicianEvent) => void (code && codes.push(code));
    const lost = { onEvent, session: { cookie: { domain: 'other.example' } } };
    const { app } = await withNodeEnv('production', () => siteOf(provider, path, lost));
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    // Scripts get 401.
    await agent.get('/me').expect(401);
    const page = await agent.get('/me').set(navigation).expect(500);
    expect(page.text).toContain('session_not_saved');
    expect(page.text).not.toContain('trust proxy');
    expect(codes).toEqual(['session_not_saved']);
    // The next navigation is redirected again: the user chose to retry.
    await agent.get('/me').set(navigation).expect(302);
    await signIn(agent, provider, { as: 'verified' });
    await agent
      .get('/auth/login')
      .set(navigation)
      .expect(500, /session_not_saved/);
  });

  test('shows none in a browser whose session was sent back once, or that has signed out', async () => {
    const agent = supertest.agent(siteOf(provider, path).app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    await agent.get('/me').set(navigation).expect(302);
    await agent.get('/auth/login').set(navigation).expect(302);
  });
});

test('a browser that has only requested routes before the middleware until its sign-out loses no session', async () => {
  const options = loginOptions(provider, { onEvent: () => undefined });
  const clinician = clinicianLogin(options);
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }));
  app.get('/early', clinician.requireLogin(), (_req, res) => void res.send('early'));
  app.post('/out', clinician.logout);
  app.use(clinician);
  const agent = supertest.agent(app);
  const page = await signIn(agent, provider, { as: 'verified', loginPath: '/auth/login?returnTo=/early' });
  expect(page.text).toBe('early');
  await agent.post('/out').set(sameOriginScript).expect(200);
  await agent.get('/early').set(navigation).expect(302);
});
