import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { launch, type Servers, visit, withServers } from './harness.js';
import { approve, logInAs, signInAs } from './pages.js';

let browser: Browser;
beforeAll(async () => {
  browser = await launch();
}, 60_000);
afterAll(() => browser.close());

/** The frame of a service whose cookies the browser blocks in frames, and that does not detect this. */
const ALWAYS_CHANGED = `<script>addEventListener('message', (e) => e.source.postMessage('changed', e.origin))</script>`;

/** Waits for the response to a silent check, after the continue page of a SameSite=Strict session. */
const silentCheck = (page: Page) =>
  page.waitForResponse((response) => {
    const { pathname, searchParams } = new URL(response.url());
    return pathname === '/auth/callback' && searchParams.get('error') === 'login_required' && response.status() === 200;
  });

/** Waits until the session check has received a first response. */
async function firstResponse(page: Page): Promise<void> {
  while (!(await page.evaluate(`localStorage.getItem('clinician-session-check')`)))
    await page.evaluate('Promise.resolve()');
}

interface Me {
  user?: { id: string };
}

const userID = (page: Page) =>
  page.evaluate(`fetch('/api/me').then((response) => response.json()).then(({ user }) => user?.id)`);
const silentRequests = ({ provider }: Servers) =>
  provider.requests.filter(({ path, query }) => path === '/oauth/authorize' && query.prompt === 'none').length;

test.each(['lax', 'strict'] as const)(
  'with third-party cookies blocked, a change starts one silent check, and the user remains signed in (%s)',
  (sameSite) =>
    // On two sites the browser does not send the provider's SameSite=Lax cookies in the frame.
    withServers({ sameSite, providerHost: 'localhost' }, (servers) =>
      visit(browser, async ({ page }) => {
        await page
          .context()
          .route('**/oauth/session_state*', (route) =>
            route.fulfill({ contentType: 'text/html', body: ALWAYS_CHANGED }),
          );
        await page.clock.install();
        await page.goto(`${servers.site}/account`);
        const checked = silentCheck(page);
        await logInAs(page, 'verified');
        await approve(page);
        await page.waitForURL(`${servers.site}/account`);
        await checked;
        expect(silentRequests(servers)).toBe(1);
        expect(await userID(page)).toBeDefined();
        await page.clock.fastForward(120_000);
        expect(silentRequests(servers)).toBe(1);
        expect(page.url()).toBe(`${servers.site}/account`);
        expect(await userID(page)).toBeDefined();
      }),
    ),
  20_000,
);

test(
  'a sign-in of another user at the service ends the login here, and the page continues with that user',
  () =>
    withServers({}, async (servers) => {
      const { issuer, clients } = servers.provider;
      let other: unknown;
      await visit(browser, async ({ page }) => {
        await page.goto(servers.site);
        await signInAs(page, 'connected');
        other = await userID(page);
      });
      await visit(browser, async ({ page, newTab }) => {
        await page.clock.install();
        await page.goto(servers.site);
        await signInAs(page, 'verified');
        const first = await userID(page);
        expect(first).not.toBe(other);
        await page.goto(`${servers.site}/account`);
        await firstResponse(page);

        // Another user signs in to another site, in the same browser.
        const otherSite = 'http://127.0.0.1:1/callback';
        const tab = await newTab();
        await tab.route(`${otherSite}*`, (route) =>
          route.fulfill({ contentType: 'text/html', body: '<h1>Other site</h1>' }),
        );
        const parameters = { response_type: 'code', client_id: clients.profile.clientID, redirect_uri: otherSite };
        const query = new URLSearchParams({ ...parameters, scope: 'basic', prompt: 'login' });
        await tab.goto(`${issuer}/oauth/authorize?${query}`);
        await logInAs(tab, 'connected');
        await approve(tab);
        await page.clock.fastForward(45_000);
        // Not from the page: a 401 before the other user is signed in would be an error in its console.
        const { request } = page.context();
        let me: Me;
        do me = (await (await request.get(`${servers.site}/api/me`)).json()) as Me;
        while (me.user?.id !== other);
      });
    }),
  30_000,
);

test('after a sign-out at the service, an open page of the site signs out too', () =>
  withServers({}, (servers) =>
    visit(browser, async ({ page }) => {
      await page.clock.install();
      await page.goto(servers.site);
      await signInAs(page, 'verified');
      await page.goto(`${servers.site}/account`);
      await firstResponse(page);
      // The user signs out at the service, in another tab.
      for (const { name } of await page.context().cookies()) {
        if (name.startsWith('clinician_mock_')) await page.context().clearCookies({ name });
      }
      await page.clock.fastForward(45_000);
      await page.getByLabel('User name').waitFor({ timeout: 12_000 });
      expect(page.url()).toMatch(servers.provider.issuer);
    }),
  ));
