import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type ClinicianEvent, MemoryTokenStore } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { withNodeEnv } from '../helpers/node-env.js';
import { provider } from '../helpers/provider.js';
import { cookieName, navigation, type SiteOptions, sameOriginScript, siteFor } from '../integration/site.js';

/** A site whose session cookie is never set. */
function siteWithoutSessions(options: SiteOptions = {}) {
  const codes: unknown[] = [];
  const messages: string[] = [];
  const onEvent = ({ code, message }: ClinicianEvent) => {
    if (code) codes.push(code);
    messages.push(message);
  };
  const { app } = siteFor(provider, { onEvent, session: { cookie: { domain: 'other.example' } }, ...options });
  return { agent: supertest.agent(app), codes, messages };
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
    expect(page.text).toContain('did not save your session');
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

  test.each([
    [
      'with a Secure cookie behind a proxy',
      { session: { cookie: { secure: true } }, callbackURL: 'https://127.0.0.1:3000/auth/callback' },
      /'trust proxy', 1/,
    ],
    ['for another reason', {}, /Check cookie\.path/],
  ])('reports %s how to fix it', async (_name, options, fix) => {
    const { agent, messages } = siteWithoutSessions(options);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/auth/login').set(navigation).expect(500);
    expect(messages.at(-1)).toMatch(fix);
  });

  test('does not affect a browser whose session was sent back once, or that has signed out', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    await agent.get('/notes').set(navigation).expect(302);
    await agent.get('/auth/login').set(navigation).expect(302);
  });

  test('does not affect a user who was signed out elsewhere before the first request', async () => {
    const tokenStore = new MemoryTokenStore();
    const codes: unknown[] = [];
    const onEvent = ({ code }: ClinicianEvent) => void (code && codes.push(code));
    const { app, clinician, sessions } = siteFor(provider, { tokenStore, onEvent });
    const { clinician: ofOtherProcess } = siteFor(provider, { tokenStore });
    const userID = provider.clinicians.get('verified').sub;
    const forgetElsewhere = async () => {
      await ofOtherProcess.forget(userID);
      sessions.clear(() => undefined);
    };
    for (const signOut of [() => clinician.forget(userID), forgetElsewhere]) {
      for (const path of ['/notes', '/auth/login']) {
        const agent = supertest.agent(app);
        await agent
          .get(await callbackAfter(agent, '/auth/login'))
          .set(navigation)
          .expect(302);
        await signOut();
        const { headers } = await agent.get(path).set(navigation).expect(302);
        expect(headers.location).toMatch(/authorize|auth\/login/);
      }
    }
    expect(codes).toEqual([]);
  });

  test('an expired or forged mark has no effect', async () => {
    let now = Date.now();
    const { app } = siteFor(provider, {
      clock: { now: () => now },
      session: { cookie: { domain: 'other.example' } },
    });
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    now += 121_000;
    await agent.get('/notes').set(navigation).expect(302);
    const forged = `${cookieName(provider, 'signed-in')}=forged`;
    await supertest(app).get('/notes').set(navigation).set('Cookie', forged).expect(302);
  });
});
