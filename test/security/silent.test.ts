import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type SiteOptions, siteFor } from '../integration/site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate' };
const fromElsewhere = { ...browser, 'Sec-Fetch-Site': 'cross-site' };
const silently = '/auth/login?prompt=none&returnTo=%2Fme';
const check = '/auth/login?prompt=none&frame=check';
const outcomeOf = (html: string) => /data-clinician-outcome="(\w+)"/.exec(html)?.[1];
const idOf = async (agent: Agent) =>
  ((await agent.get('/me').expect(200)).body as { identity: { id: string } }).identity.id;

type Agent = ReturnType<typeof supertest.agent>;

/** From the login route to the provider and, with what it answers, back to the callback. */
async function go(agent: Agent, path: string, as: string, browserThere: object = agent) {
  const { headers } = await agent.get(path).set(browser).expect(302);
  const back = new URL(await provider.signIn(headers.location as string, { as, browser: browserThere }));
  return agent.get(back.pathname + back.search).set(browser);
}

describe('attack 130: a link on another site that asks for a sign-in without a question', () => {
  test('goes straight on to the page, and to the service only from our own pages', async () => {
    const { app } = siteFor(provider);
    const { headers } = await supertest(app).get(silently).set(fromElsewhere).expect(302);
    expect(headers.location).toBe('/me');
    const looked = await supertest(app).get(check).set(fromElsewhere).expect(200);
    expect(outcomeOf(looked.text)).toBe('error');
    for (const site of ['same-origin', 'none']) {
      const own = await supertest(app)
        .get(silently)
        .set({ ...browser, 'Sec-Fetch-Site': site })
        .expect(302);
      expect(own.headers.location).toMatch(`${provider.issuer}/oauth/authorize?`);
    }
    await supertest(app).get('/auth/login').set(fromElsewhere).expect(302);
  });

  test('makes nobody somebody else who is signed in here, in whatever browser', async () => {
    const agent = supertest.agent(siteFor(provider).app);
    await signIn(agent, provider, { as: 'verified' });
    const before = await idOf(agent);
    const another = {};
    await go(supertest.agent(siteFor(provider).app), '/auth/login', 'connected', another);
    const redeemed = () => provider.requests.filter(({ path }) => path === '/oauth/token').length;
    const count = redeemed();
    const landed = await go(agent, silently, 'connected', another);
    expect([landed.status, landed.headers.location]).toEqual([302, '/me']);
    expect(await idOf(agent)).toBe(before);
    expect(redeemed()).toBe(count);
  });
});

describe('the session check, where the session store fails', () => {
  async function watched(options: SiteOptions = {}) {
    const site = siteFor(provider, options);
    const agent = supertest.agent(site.app);
    await signIn(agent, provider, { as: 'verified' });
    await agent.get('/me').expect(200);
    return { ...site, agent };
  }

  test('attack 147: signs nobody out when the session cannot be read again', async () => {
    const { agent, sessions } = await watched();
    const { get } = sessions;
    const { headers } = await agent.get(check).set(browser).expect(302);
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: agent }));
    let reads = 0;
    sessions.get = (id, done) => {
      reads += 1;
      if (reads === 1) get.call(sessions, id, done);
      else done(new Error('down'));
    };
    const answer = await agent.get(back.pathname + back.search).set(browser);
    expect(reads).toBe(2);
    sessions.get = get;
    expect(outcomeOf(answer.text)).toBe('error');
    await agent.get('/me').expect(200);
  });

  test('attack 147: says so when the session of somebody else could not be ended', async () => {
    const { agent, sessions } = await watched();
    const another = {};
    await go(supertest.agent(siteFor(provider).app), '/auth/login', 'connected', another);
    const { destroy } = sessions;
    sessions.destroy = (_id, done) => done?.(new Error('down'));
    const answer = await go(agent, check, 'connected', another);
    sessions.destroy = destroy;
    expect([answer.status, outcomeOf(answer.text)]).toEqual([200, 'error']);
  });
});

describe('a session cookie that is SameSite=Strict', () => {
  const strict = { session: { cookie: { sameSite: 'strict' as const } } };

  async function answered(headers: Record<string, string>) {
    const agent = supertest.agent(siteFor(provider, strict).app);
    const { headers: started } = await agent.get('/auth/login').set(browser).expect(302);
    const back = new URL(await provider.signIn(started.location as string, { as: 'verified', browser: agent }));
    const first = await agent.get(back.pathname + back.search).set({ ...browser, ...headers });
    return { agent, first, again: String(first.headers.refresh).replace('0; url=', '') };
  }

  test('the callback goes round once, also where a browser does not say where it comes from', async () => {
    for (const headers of [{ 'Sec-Fetch-Site': 'cross-site' }, {}]) {
      const { agent, first, again } = await answered(headers as Record<string, string>);
      expect([first.status, first.headers['x-frame-options']]).toEqual([200, 'DENY']);
      // Even if it claims the same again.
      await agent
        .get(again)
        .set({ ...browser, ...headers })
        .expect(302);
      await agent.get('/me').expect(200);
    }
  });

  test('in a frame of the session check it may be framed by this site, and only there', async () => {
    const { first } = await answered({ 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Dest': 'iframe' });
    expect(first.headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(first.headers['content-security-policy']).toContain("frame-ancestors 'self'");
    expect(first.headers['content-security-policy']).not.toContain('script-src');
  });
});

test.each(['login', 'logout', 'callback', 'sessionCheck'] as const)(
  'without the route %s there is no session check, and asking for its frame says so',
  async (name) => {
    const { app, clinician } = siteFor(provider, { routes: { [name]: false } });
    expect(() => clinician.sessionCheckFrame()).toThrow(`routes.${name}: false`);
    const agent = supertest.agent(app);
    if (name === 'logout') await signIn(agent, provider, { as: 'verified' });
    const page = await agent.get('/auth/session-check');
    expect(page.text).not.toContain('false');
    expect(page.text).not.toContain('data-silent-check');
  },
);
