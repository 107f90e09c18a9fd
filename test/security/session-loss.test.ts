import { describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import supertest from 'supertest';
import { type ClinicianEvent, clinicianLogin } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { withNodeEnv } from '../helpers/node-env.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, navigation, sameOriginScript, sealingSecret, siteFor } from '../integration/site.js';

/** A site whose session cookie is never set. */
function siteWithoutSessions() {
  const codes: unknown[] = [];
  const onEvent = ({ code }: ClinicianEvent) => void (code && codes.push(code));
  const { app } = siteFor(provider, { onEvent, session: { cookie: { domain: 'other.example' } } });
  return { agent: supertest.agent(app), codes };
}

/** Signs in at the service. @returns the path of the callback, not requested yet. */
async function callbackAfter(agent: ReturnType<typeof supertest.agent>, loginPath: string): Promise<string> {
  const { headers } = await agent.get(loginPath).set(navigation).expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: agent }));
  return back.pathname + back.search;
}

describe('a site that loses its session', () => {
  test('shows an error at the guarded page after the sign-in, not a redirect loop', async () => {
    const { agent, codes } = await withNodeEnv('production', () => siteWithoutSessions());
    const started = await agent.get('/notes').set(navigation).expect(302);
    const callback = await agent.get(await callbackAfter(agent, started.headers.location as string)).set(navigation);
    const page = await agent
      .get(callback.headers.location as string)
      .set(navigation)
      .expect(500);
    expect(page.text).toContain('session_not_saved');
    expect(page.text).not.toContain('trust proxy');
    expect(codes).toEqual(['session_not_saved']);
    // The next navigation is redirected again: the user chose to retry.
    await agent.get('/notes').set(navigation).expect(302);
  });

  test('shows the error at the login route too, and responds 401 to scripts', async () => {
    const { agent, codes } = siteWithoutSessions();
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(401);
    const page = await agent.get('/auth/login?returnTo=/me').set(navigation).expect(500);
    expect(page.text).toContain('session_not_saved');
    expect(codes).toEqual(['session_not_saved']);
  });

  test('does not affect a browser whose session was sent back once, or that has signed out', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    await agent.get('/notes').set(navigation).expect(302);
    await agent.get('/auth/login').set(navigation).expect(302);
  });

  test('does not affect a browser that has only requested routes before the middleware until its sign-out', async () => {
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
});
