import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launch, startWorld, visit, type World } from './harness.js';
import { expectHeading, logInAs, signInAs } from './pages.js';

let browser: Browser;
let world: World;

beforeAll(async () => {
  [browser, world] = await Promise.all([launch(), startWorld()]);
}, 60_000);
afterEach(() => world.provider.reset());
afterAll(async () => {
  await Promise.all([browser.close(), world.stop()]);
});

test("signing in takes a window of its own, under helmet's Cross-Origin-Opener-Policy", () =>
  visit(browser, async ({ page }) => {
    const answer = await page.goto(world.site);
    expect(await answer?.headerValue('cross-origin-opener-policy')).toBe('same-origin');
    const opening = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'Use a new window' }).click();
    const popup = await opening;
    await popup.waitForURL(`${world.provider.issuer}/**`);
    expect(await popup.evaluate('window.opener')).toBeNull();
    const closing = popup.waitForEvent('close');
    await logInAs(popup, 'verified');
    await popup.getByRole('button', { name: /approve/i }).click();
    await closing;
    await page.getByText('You are signed in').waitFor();
  }));

test('signing out goes by the service and comes back', () =>
  visit(browser, async ({ page }) => {
    await page.goto(world.site);
    await signInAs(page, 'verified');
    await page.goto(`${world.site}/account`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expectHeading(page, 'You are signed out');
    await page.getByText('of this site and of the sign-in service').waitFor();
    await page.goto(`${world.site}/notes`);
    expect(page.url()).toMatch(world.provider.issuer);
    await page.getByLabel('User name').waitFor();
  }));

test('forget me ends the session in another browser, too', () =>
  visit(browser, async ({ page }) => {
    await page.goto(world.site);
    await signInAs(page, 'verified');
    await visit(browser, async ({ page: phone, expectAnswer }) => {
      expectAnswer('401 /api/me');
      await phone.goto(world.site);
      await phone.getByRole('link', { name: 'Sign in as a clinician' }).click();
      await logInAs(phone, 'verified');
      await phone.waitForURL(`${world.site}/`);
      await page.goto(`${world.site}/account`);
      await page.getByRole('button', { name: 'Forget me' }).click();
      await expectHeading(page, 'You are signed out');
      expect(await phone.evaluate(`fetch('/api/me').then(({ status }) => status)`)).toBe(401);
    });
  }));

describe('the session check', () => {
  test('attack 42: signed out at the service, the open page of the site is signed out as well', () =>
    visit(browser, async ({ page }) => {
      await page.clock.install();
      await page.goto(world.site);
      await signInAs(page, 'verified');
      await page.goto(`${world.site}/account`);
      while (!(await page.evaluate(`localStorage.getItem('clinician-session-check')`)))
        await page.evaluate('Promise.resolve()');
      // Signed out there, in another tab.
      for (const { name } of await page.context().cookies()) {
        if (name.startsWith('clinician_mock_')) await page.context().clearCookies({ name });
      }
      await page.clock.fastForward(45_000);
      await page.getByLabel('User name').waitFor({ timeout: 12_000 });
      expect(page.url()).toMatch(world.provider.issuer);
    }));
});
