import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };

function forgetfulSite() {
  const codes: unknown[] = [];
  const onEvent = ({ code }: ClinicianEvent) => void (code && codes.push(code));
  // Plain http behind a proxy that nobody trusts: express-session never sets this cookie.
  const { app } = siteFor(provider, { onEvent, session: { cookie: { secure: true } } });
  return { agent: supertest.agent(app), codes };
}

/** Goes by the login route to the service, signs in, and stands before the callback. */
async function callbackAfter(agent: ReturnType<typeof supertest.agent>, loginPath: string): Promise<string> {
  const { headers } = await agent.get(loginPath).set(browser).expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: agent }));
  return back.pathname + back.search;
}

describe('attack 148: a site that does not keep its session', () => {
  test('says so at the guarded page after the sign-in, and does not send the person round', async () => {
    const { agent, codes } = forgetfulSite();
    const started = await agent.get('/notes').set(browser).expect(302);
    const landed = await agent.get(await callbackAfter(agent, started.headers.location as string)).set(browser);
    const page = await agent
      .get(landed.headers.location as string)
      .set(browser)
      .expect(500);
    expect(page.text).toContain('session_not_saved');
    expect(page.text).toContain('did not save your session');
    expect(page.text).not.toContain('trust proxy');
    expect(codes).toEqual(['session_not_saved']);
    // Trying again is the person's own choice, and ends here again.
    await agent.get('/notes').set(browser).expect(302);
  });

  test('says so where they press the button again, and answers scripts as ever', async () => {
    const { agent, codes } = forgetfulSite();
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(401);
    const page = await agent.get('/auth/login?returnTo=/me').set(browser).expect(500);
    expect(page.text).toContain('session_not_saved');
    expect(codes).toEqual(['session_not_saved']);
  });

  test('who signs out at once, or whose session came back once, is sent to sign in as ever', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    await agent.post('/auth/logout').set('Sec-Fetch-Site', 'same-origin').expect(204);
    await agent.get('/notes').set(browser).expect(302);
    await agent.get('/auth/login').set(browser).expect(302);
  });

  test('a word that is too old, forged or nobody asked for changes nothing', async () => {
    let now = Date.now();
    const { app } = siteFor(provider, {
      clock: { now: () => now },
      session: { cookie: { secure: true } },
    });
    const agent = supertest.agent(app);
    await signIn(agent, provider, { as: 'verified' });
    now += 121_000;
    await agent.get('/notes').set(browser).expect(302);
    await supertest(app).get('/notes').set(browser).set('Cookie', 'clinician-signed-in=forged').expect(302);
  });
});
