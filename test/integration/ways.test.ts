import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { type SiteOptions, siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const browser = { Accept: 'text/html', 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' };

/** A browser at the site, which the provider knows again. */
function world(options: SiteOptions = {}) {
  const events: ClinicianEvent[] = [];
  const site = siteFor(provider, { onEvent: (event) => events.push(event), ...options });
  const agent = supertest.agent(site.app);
  /** Goes by the login route to the service and back to the callback. */
  async function go(loginPath: string, as = 'verified') {
    const page = await signIn(agent, provider, { as, loginPath });
    return { asked: provider.requests.findLast(({ path }) => path === '/oauth/authorize')?.query, page };
  }
  return { ...site, agent, go, events };
}

const outcomeOf = (html: string) => /data-clinician-outcome="(\w+)"/.exec(html)?.[1];

describe('a sign-in in a window of its own', () => {
  test('asks the service for it, signs in, and ends on a page that tells the other window and closes', async () => {
    const { agent, go } = world();
    const { asked, page } = await go('/auth/login?returnTo=%2Fnotes&display=popup');
    expect(asked?.display).toBe('popup');
    expect(page.status).toBe(200);
    expect(page.text).toContain('data-clinician-popup="signed-in"');
    expect(page.text).toContain('href="/notes"');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect(page.headers['x-frame-options']).toBe('DENY');
    await agent.get('/me').expect(200);
  });

  test('the script it needs is served from here, and helmet lets it run', async () => {
    const { agent, clinician } = world();
    const script = await agent.get(clinician.clientScriptURL).expect(200);
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.headers['content-security-policy']).toMatch(/script-src 'self'/);
    expect(clinician.signInButton({ display: 'popup' })).toContain('data-clinician-display="popup"');
  });
});

describe('what the button may ask for', () => {
  test('making an account, and the landing page of verification', async () => {
    const { agent, clinician } = world();
    const [, href] = /href="([^"]+)"/.exec(clinician.signInButton({ prompt: 'create', type: 'verify' })) ?? [];
    const { headers } = await agent.get((href as string).replaceAll('&amp;', '&')).expect(302);
    const { searchParams } = new URL(headers.location as string);
    expect([searchParams.get('prompt'), searchParams.get('type')]).toEqual(['create', 'verify']);
  });

  test('nothing that the service does not know', async () => {
    const { headers } = await world()
      .agent.get('/auth/login?prompt=evil&type=evil&display=evil&frame=check')
      .expect(302);
    const { searchParams } = new URL(headers.location as string);
    for (const name of ['prompt', 'type', 'display']) expect(searchParams.has(name)).toBe(false);
  });
});

describe('the share button', () => {
  test('leads to the inbox of the service, escaped (attack 166)', () => {
    const { clinician } = world({ shareScriptURL: 'https://share.service.example/share.js' });
    const button = clinician.shareButton({ url: 'https://app.example/a?b=1&c="', subject: '<b>', message: 'x' });
    expect(button).toContain(`href="${provider.apiURL}/inbox/conversations/new_message?`);
    expect(button).not.toContain('<b>');
    expect(button).toContain('src="https://share.service.example/share.js"');
    const { directives } = clinician.helmet().contentSecurityPolicy;
    expect(directives['script-src']).toEqual(["'self'", 'https://share.service.example']);
  });
});

describe('silent sign-in', () => {
  const silent = (site: ReturnType<typeof world>) => {
    site.app.get('/quiet', site.clinician.signInSilently(), (req, res) => {
      res.send(req.clinician.isAuthenticated ? 'in' : 'out');
    });
    return site;
  };

  test('who is not signed in at the service goes on as they were, and is not asked again: no loop', async () => {
    const { agent } = silent(world());
    await agent.get('/quiet').set(browser).expect(200, 'out');
    const { headers } = await agent.get('/quiet').set(browser).expect(302);
    expect(new URL(headers.location as string).searchParams.get('prompt')).toBe('none');
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: agent }));
    expect(back.searchParams.get('error')).toBe('login_required');
    const answer = await agent
      .get(back.pathname + back.search)
      .set(browser)
      .expect(302);
    expect(answer.headers.location).toBe('/quiet');
    expect((await agent.get('/quiet').set(browser).expect(200)).text).toBe('out');
  });

  test('who is signed in there is signed in here without a question', async () => {
    const site = silent(world());
    await site.go('/auth/login');
    await site.agent.get('/').set(browser).expect(200, 'in');
    site.agent.jar.setCookie('connect.sid=; Max-Age=0; Path=/', '127.0.0.1', '/');
    site.agent.set(browser);
    const { page, asked } = await site.go('/quiet');
    expect([asked?.prompt, page.text]).toEqual(['none', 'in']);
  });

  test('attack 148: who keeps no cookies gets the page as it is, every time', async () => {
    const { app } = silent(world());
    for (let views = 0; views < 3; views++) await supertest(app).get('/quiet').set(browser).expect(200, 'out');
    // Some cookie that came back is enough: cookies are kept there.
    await supertest(app)
      .get('/quiet')
      .set({ ...browser, Cookie: 'site=1' })
      .expect(302);
  });

  test('is not for scripts, frames, posts, who is signed in, and who has just signed out', async () => {
    const { agent, go } = silent(world());
    await agent.get('/quiet').expect(200, 'out');
    await agent
      .get('/quiet')
      .set({ ...browser, 'Sec-Fetch-Dest': 'iframe' })
      .expect(200, 'out');
    await go('/auth/login');
    await agent.get('/quiet').set(browser).expect(200, 'in');
    await agent.post('/auth/logout').set({ 'Sec-Fetch-Site': 'same-origin' }).expect(204);
    await agent.get('/quiet').set(browser).expect(200, 'out');
  });
});

describe('the session check', () => {
  const check = '/auth/login?prompt=none&frame=check';

  test('attack 234: its page knows the session at the service, and may be framed by this site only', async () => {
    const { agent, go, clinician } = world();
    expect((await agent.get('/auth/session-check').expect(200)).text).not.toContain('data-frame');
    await go('/auth/login');
    const page = await agent.get('/auth/session-check').expect(200);
    expect(page.text).toContain(`data-frame="${provider.issuer}/oauth/session_state"`);
    expect(page.text).toContain(`data-client-id="${provider.clients.openid.clientID}"`);
    const [, state] = /data-session-state="([^"]+)"/.exec(page.text) ?? [];
    const asked = { clientID: provider.clients.openid.clientID, sessionState: state as string };
    expect(asked.sessionState).toMatch(/\./);
    expect(page.headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'self'");
    expect(page.headers['content-security-policy']).toContain(`frame-src 'self' ${provider.issuer}`);
    expect(clinician.sessionCheckFrame()).toContain('src="/auth/session-check"');
  });

  test('attack 236: in the profile flow, or without a session_state, it is idle', async () => {
    const agent = supertest.agent(siteFor(provider, { flow: 'profile' }).app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/auth/session-check').expect(200)).text).not.toContain('data-frame');
  });

  test('attack 230: the same person still: goes on with the tokens there are, and what was granted for the look is revoked', async () => {
    const { agent, go, events } = world();
    await go('/auth/login');
    const { page } = await go(check);
    expect(outcomeOf(page.text)).toBe('same');
    expect(page.text).toMatch(/data-session-state="[^"]+"/);
    expect(page.headers['x-frame-options']).toBe('SAMEORIGIN');
    await agent.get('/profile').expect(200);
    expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toHaveLength(1);
    expect(events.map(({ name }) => name)).not.toContain('signed_out');
  });

  test('attack 230: another person at the service ends the session here', async () => {
    const { agent, events } = world();
    await signIn(agent, provider, { as: 'minimal' });
    const other = { as: 'verified', browser: {} };
    await provider.signIn((await agent.get('/auth/login')).headers.location as string, other);
    const { headers } = await agent.get(check).expect(302);
    const back = new URL(await provider.signIn(headers.location as string, other));
    expect(outcomeOf((await agent.get(back.pathname + back.search)).text)).toBe('ended');
    await agent.get('/me').expect(401);
    expect(events.map(({ name }) => name)).toContain('signed_out');
  });

  test('attack 231: nobody there, or an error: said so, and nobody is signed out by it', async () => {
    const { agent } = world();
    await signIn(agent, provider, { as: 'verified' });
    const { headers } = await agent.get(check).expect(302);
    const back = new URL(await provider.signIn(headers.location as string, { as: 'minimal', browser: {} }));
    expect(outcomeOf((await agent.get(back.pathname + back.search)).text)).toBe('login_required');
    const again = new URL((await agent.get(check)).headers.location as string);
    const denied = `/auth/callback?error=server_error&state=${again.searchParams.get('state')}`;
    expect(outcomeOf((await agent.get(denied)).text)).toBe('error');
    await agent.get('/me').expect(200);
  });
});
