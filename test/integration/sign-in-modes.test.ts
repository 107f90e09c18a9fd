import { describe, expect, test } from '@jest/globals';
import supertest from 'supertest';
import type { ClinicianEvent } from '../../lib/index.js';
import { signIn } from '../../lib/testing/testing.js';
import { provider } from '../helpers/provider.js';
import { navigation, type SiteOptions, sameOriginScript, siteFor } from './site.js';

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

test('the client script is served by the site, and helmet allows it', async () => {
  const { agent, clinician } = siteAndBrowser();
  const script = await agent.get(clinician.clientScriptURL).expect(200);
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8');
  expect(script.headers['content-security-policy']).toMatch(/script-src 'self'/);
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
    await agent.post('/auth/logout').set(sameOriginScript).expect(200);
    await agent.get('/silent').set(pageView).expect(200, 'out');
  });
});
