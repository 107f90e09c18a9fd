import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { provider } from '../helpers/provider.js';
import { launch, newProfile, type Servers, startServers, visit } from './harness.js';
import { type OwnSite, startOwnSite } from './own-site.js';
import { logInAs } from './pages.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

describe('HTML of a user on a page with the client script', () => {
  let site: OwnSite;
  let page: Page;
  let markup = '';
  beforeEach(async () => {
    site = await startOwnSite(provider, (app, clinician) => {
      const script = `<script src="${clinician.clientScriptURL}" defer></script>`;
      app.get('/post', (_req, res) => void res.send(`<!doctype html><title>Post</title>${script}${markup}`));
      app.get('/target', (_req, res) => void res.send('<!doctype html><title>Target</title>'));
    });
    page = await (await newProfile(browser)).newPage();
    await page.route('http://evil.example/**', (route) => route.fulfill({ contentType: 'text/html', body: 'evil' }));
  });
  afterEach(async () => {
    await page.context().close();
    site.stop();
  });

  test.each([
    ['to another path', '/target?returnTo=//evil.example', '/target?returnTo=%2F%2Fevil.example&display=popup'],
    ['to a path with a user name', '//x@evil.example/', undefined],
    ['to another site', 'http://evil.example/', undefined],
    ['that is a script', "javascript:fetch('/auth/forget',{method:'POST'})", undefined],
    ['without a valid address', 'http://[', undefined],
  ])('a popup link %s leads only there, without an opener', async (_, href, opened) => {
    markup = `<base target="_self"><p><a data-clinician-display="popup" href="${href}">go</a></p>`;
    await page.goto(`${site.origin}/post`);
    const popup = opened && page.waitForEvent('popup');
    await page.getByText('go').click();
    const leading = popup ? await popup : page;
    if (opened) await leading.waitForURL(site.origin + opened);
    expect(await leading.evaluate('opener')).toBe(null);
    expect(page.context().pages()).toHaveLength(opened ? 2 : 1);
    expect(site.requests.filter((line) => line.startsWith('POST'))).toEqual([]);
  });
});

describe('the reference site', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterEach(() => servers.provider.reset());
  afterAll(() => servers.stop());

  test("a sign-in in a popup works with helmet's Cross-Origin-Opener-Policy", () =>
    visit(browser, async ({ page }) => {
      const response = await page.goto(servers.site);
      expect(await response?.headerValue('cross-origin-opener-policy')).toBe('same-origin');
      const opening = page.context().waitForEvent('page');
      await page.getByRole('link', { name: 'Sign in and stay here' }).click();
      const popup = await opening;
      await popup.waitForURL(`${servers.provider.issuer}/**`);
      expect(await popup.evaluate('window.opener')).toBeNull();
      const closing = popup.waitForEvent('close');
      await logInAs(popup, 'verified');
      await popup.getByRole('button', { name: /approve/i }).click();
      await closing;
      await page.getByText('You are signed in').waitFor();
    }));

  test('a page can handle the end of a sign-in in a popup itself', () =>
    visit(browser, async ({ page }) => {
      await page.goto(servers.site);
      await page.evaluate(
        "document.addEventListener('clinician:signed-in', (event) => { event.preventDefault(); document.title = 'Signed in for ' + event.detail.returnTo; })",
      );
      const opening = page.context().waitForEvent('page');
      await page.getByRole('link', { name: 'Sign in and stay here' }).click();
      const popup = await opening;
      const closing = popup.waitForEvent('close');
      await logInAs(popup, 'verified');
      await popup.getByRole('button', { name: /approve/i }).click();
      await closing;
      await page.waitForFunction("document.title === 'Signed in for /'");
      expect(await page.getByRole('link', { name: 'Sign in and stay here' }).count()).toBe(1);
    }));
});
