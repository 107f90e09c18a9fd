import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { signIn } from '../../lib/testing/testing.js';
import { navigation, type SiteOptions, sameOriginScript, siteFor } from './site.js';

let provider: MockProvider;
beforeAll(async () => {
  provider = await startMockProvider();
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

const pageView = { ...navigation, 'Sec-Fetch-Dest': 'document' };

/** A site, and a browser with its own session at the provider. */
function siteAndBrowser(options: SiteOptions = {}) {
  const events: ClinicianEvent[] = [];
  const site = siteFor(provider, { onEvent: (event) => events.push(event), ...options });
  const agent = supertest.agent(site.app);
  /** Signs in, from the login route to the page after the callback. */
  async function run(loginPath: string, as = 'verified') {
    const page = await signIn(agent, provider, { as, loginPath });
    return { query: provider.requests.findLast(({ path }) => path === '/oauth/authorize')?.query, page };
  }
  return { ...site, agent, run, events };
}

const outcomeOf = (html: string) => /data-clinician-outcome="(\w+)"/.exec(html)?.[1];

describe('a sign-in in a popup', () => {
  test('requests display=popup, signs in, and ends on a page that notifies the opener and closes', async () => {
    const { agent, run } = siteAndBrowser();
    const { query, page } = await run('/auth/login?returnTo=%2Fnotes&display=popup');
    expect(query?.display).toBe('popup');
    expect(page.status).toBe(200);
    expect(page.text).toContain('data-clinician-popup="signed-in"');
    expect(page.text).toContain('href="/notes"');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    expect(page.headers['x-frame-options']).toBe('DENY');
    await agent.get('/me').expect(200);
  });

  test('that cannot be started is retried in the popup, with its returnTo', async () => {
    const { agent } = siteAndBrowser({ fetch: () => Promise.reject(new Error('unreachable')) });
    const { text } = await agent.get('/auth/login?returnTo=%2Fnotes&display=popup').set(pageView).expect(503);
    expect(text).toContain('href="/auth/login?returnTo=%2Fnotes&amp;display=popup"');
  });

  test('the client script is served by the site, and helmet allows it', async () => {
    const { agent, clinician } = siteAndBrowser();
    const script = await agent.get(clinician.clientScriptURL).expect(200);
    expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(script.headers['content-security-policy']).toMatch(/script-src 'self'/);
    expect(clinician.signInButton({ display: 'popup' })).toContain('data-clinician-display="popup"');
  });
});

describe('a link to the login route', () => {
  test('can request the registration and the verification page', async () => {
    const { agent, clinician } = siteAndBrowser();
    const [, href] = /href="([^"]+)"/.exec(clinician.signInButton({ prompt: 'create', type: 'verify' })) ?? [];
    const { headers } = await agent.get((href as string).replaceAll('&amp;', '&')).expect(302);
    const { searchParams } = new URL(headers.location as string);
    expect([searchParams.get('prompt'), searchParams.get('type')]).toEqual(['create', 'verify']);
  });

  test('ignores unknown values', async () => {
    const { headers } = await siteAndBrowser()
      .agent.get('/auth/login?prompt=evil&type=evil&display=evil&frame=check')
      .expect(302);
    const { searchParams } = new URL(headers.location as string);
    for (const name of ['prompt', 'type', 'display']) expect(searchParams.has(name)).toBe(false);
  });
});

describe('the share button', () => {
  test('links to the inbox of the service, with its values escaped', () => {
    const { clinician } = siteAndBrowser({ shareScriptURL: 'https://share.service.example/share.js' });
    const button = clinician.shareButton({ url: 'https://app.example/a?b=1&c="', subject: '<b>', message: 'x' });
    expect(button).toContain(`href="${provider.apiURL}/inbox/conversations/new_message?`);
    expect(button).not.toContain('<b>');
    expect(button).toContain('src="https://share.service.example/share.js"');
    const { directives } = clinician.helmet().contentSecurityPolicy;
    expect(directives['script-src']).toEqual(["'self'", 'https://share.service.example']);
  });
});

describe('silent sign-in', () => {
  const withSilentPage = (site: ReturnType<typeof siteAndBrowser>) => {
    site.app.get('/silent', site.clinician.signInSilently(), (req, res) => {
      res.send(req.clinician.isAuthenticated ? 'in' : 'out');
    });
    return site;
  };

  test('a user without a session at the service remains signed out, and is not redirected again', async () => {
    const { agent } = withSilentPage(siteAndBrowser());
    await agent.get('/silent').set(pageView).expect(200, 'out');
    const { headers } = await agent.get('/silent').set(pageView).expect(302);
    expect(new URL(headers.location as string).searchParams.get('prompt')).toBe('none');
    const back = new URL(await provider.signIn(headers.location as string, { as: 'verified', browser: agent }));
    expect(back.searchParams.get('error')).toBe('login_required');
    const response = await agent
      .get(back.pathname + back.search)
      .set(pageView)
      .expect(302);
    expect(response.headers.location).toBe('/silent');
    expect((await agent.get('/silent').set(pageView).expect(200)).text).toBe('out');
  });

  test('a user with a session at the service is signed in', async () => {
    const site = withSilentPage(siteAndBrowser());
    await site.run('/auth/login');
    await site.agent.get('/').set(pageView).expect(200, 'in');
    site.agent.jar.setCookie('connect.sid=; Max-Age=0; Path=/', '127.0.0.1', '/');
    site.agent.set(pageView);
    const { page, query } = await site.run('/silent');
    expect([query?.prompt, page.text]).toEqual(['none', 'in']);
  });

  test('a browser without cookies gets every page without a redirect', async () => {
    const { app } = withSilentPage(siteAndBrowser());
    for (let views = 0; views < 3; views++) await supertest(app).get('/silent').set(pageView).expect(200, 'out');
    // Any cookie of the browser shows that it sends cookies.
    await supertest(app)
      .get('/silent')
      .set({ ...pageView, Cookie: 'site=1' })
      .expect(302);
  });

  test('does nothing for scripts, frames, signed-in users, and after a sign-out', async () => {
    const { agent, run } = withSilentPage(siteAndBrowser());
    await agent.get('/silent').expect(200, 'out');
    await agent
      .get('/silent')
      .set({ ...pageView, 'Sec-Fetch-Dest': 'iframe' })
      .expect(200, 'out');
    await run('/auth/login');
    await agent.get('/silent').set(pageView).expect(200, 'in');
    await agent.post('/auth/logout').set(sameOriginScript).expect(204);
    await agent.get('/silent').set(pageView).expect(200, 'out');
  });
});

describe('the session check', () => {
  const check = '/auth/login?prompt=none&frame=check';

  test('its page contains the session state, and can be framed by this site only', async () => {
    const { agent, run, clinician } = siteAndBrowser();
    expect((await agent.get('/auth/session-check').expect(200)).text).not.toContain('data-frame');
    await run('/auth/login');
    const page = await agent.get('/auth/session-check').expect(200);
    expect(page.text).toContain(`data-frame="${provider.issuer}/oauth/session_state"`);
    expect(page.text).toContain(`data-client-id="${provider.clients.openid.clientID}"`);
    const [, state] = /data-session-state="([^"]+)"/.exec(page.text) ?? [];
    expect(state).toMatch(/\./);
    expect(page.headers['x-frame-options']).toBe('SAMEORIGIN');
    expect(page.headers['content-security-policy']).toContain("frame-ancestors 'self'");
    expect(page.headers['content-security-policy']).toContain(`frame-src 'self' ${provider.issuer}`);
    expect(clinician.sessionCheckFrame()).toContain('src="/auth/session-check"');
  });

  test('its page does nothing in the profile flow', async () => {
    const agent = supertest.agent(siteFor(provider, { flow: 'profile' }).app);
    await signIn(agent, provider, { as: 'verified' });
    expect((await agent.get('/auth/session-check').expect(200)).text).not.toContain('data-frame');
  });

  test('with the same user, the login continues and the tokens of the check are revoked', async () => {
    const { agent, run, events } = siteAndBrowser();
    await run('/auth/login');
    const { page } = await run(check);
    expect(outcomeOf(page.text)).toBe('same');
    expect(page.text).toMatch(/data-session-state="[^"]+"/);
    expect(page.headers['x-frame-options']).toBe('SAMEORIGIN');
    await agent.get('/profile').expect(200);
    expect(provider.requests.filter(({ path }) => path === '/oauth/revoke')).toHaveLength(1);
    expect(events.map(({ name }) => name)).not.toContain('signed_out');
  });

  test('with another user at the service, the session here ends', async () => {
    const { agent, events } = siteAndBrowser();
    await signIn(agent, provider, { as: 'minimal' });
    const otherUser = { as: 'verified', browser: {} };
    await provider.signIn((await agent.get('/auth/login')).headers.location as string, otherUser);
    const { headers } = await agent.get(check).expect(302);
    const back = new URL(await provider.signIn(headers.location as string, otherUser));
    expect(outcomeOf((await agent.get(back.pathname + back.search)).text)).toBe('ended');
    await agent.get('/me').expect(401);
    expect(events.map(({ name }) => name)).toContain('signed_out');
  });

  test('without a user at the service, or with an error, the session here continues', async () => {
    const { agent } = siteAndBrowser();
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
