import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launch, type Servers, startServers, visit } from './harness.js';
import { expectHeading, logInAs, signInByRequests } from './pages.js';

let browser: Browser;
let servers: Servers;

beforeAll(async () => {
  [browser, servers] = await Promise.all([launch(), startServers()]);
});
afterEach(() => servers.provider.reset());
afterAll(async () => {
  await Promise.all([browser.close(), servers.stop()]);
});

test('duplicateCallback: the site redeems a code that arrives twice once and signs the user in', async () => {
  const { provider, site } = servers;
  // Not visit(): the browser complains that what it loaded is not an image.
  const page = await browser.newPage();
  const callbacks: string[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname === '/auth/callback' && searchParams.has('code')) callbacks.push(request.url());
  });
  provider.faults.next('duplicateCallback');
  await page.goto(site);
  await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
  await logInAs(page, 'verified');
  await page.getByRole('button', { name: /approve/i }).click();
  await page.waitForURL((url) => url.origin === site);
  expect([callbacks.length, new Set(callbacks).size]).toEqual([2, 1]);
  expect(provider.requests.filter(({ path }) => path === '/oauth/token')).toHaveLength(1);
  await page.goto(site);
  await expectHeading(page, 'Welcome, Vera Castellanos, MD');
  await page.close();
});

test('sessionChanged: a session_state that was never unchanged starts no check, and the user remains signed in', () =>
  visit(browser, async ({ page }) => {
    const { provider, site } = servers;
    provider.faults.next('sessionChanged');
    await signInByRequests(page, site, 'verified');
    await page.goto(`${site}/account`);
    await provider.requests.waitFor(({ path }) => path === '/oauth/session_state', { timeout: '1 minute' });
    await page.goto(site);
    await expectHeading(page, 'Welcome, Vera Castellanos, MD');
    expect(provider.requests.filter(({ query }) => query.prompt === 'none')).toEqual([]);
  }));
