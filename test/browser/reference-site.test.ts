import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Locator } from 'playwright-core';
import { launch, newProfile, type Servers, startServers, visit, withServers } from './harness.js';
import { approve, expectHeading, logInAs, profileOn, signInByRequests, tabTo } from './pages.js';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

describe('with the default settings', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterEach(() => servers.provider.reset());
  afterAll(() => servers.stop());

  test('a user who is not signed in signs in and returns to the notes', () =>
    visit(browser, async ({ page }) => {
      await page.goto(`${servers.site}/notes`);
      expect(page.url()).toMatch(new RegExp(`^${servers.provider.issuer}/`));
      await logInAs(page, 'verified');
      await approve(page);
      expect(page.url()).toBe(`${servers.site}/notes`);
      await expectHeading(page, 'Notes');
    }));

  test('a pending clinician gets a page about the verification, and the notes after it', () =>
    visit(browser, async ({ page, screenshot, expectStatus }) => {
      expectStatus('403 /notes');
      await signInByRequests(page, servers.site, 'pending');
      await page.goto(`${servers.site}/notes`);
      await expectHeading(page, 'Your verification is in progress');
      await screenshot('pending');
      servers.provider.clinicians.update('pending', { verified: true });
      await page.getByRole('link', { name: 'Check again' }).click();
      await expectHeading(page, 'Notes');
    }));

  test('the share button has 140 by 30 points, and opens a new message with each value once', () =>
    visit(browser, async ({ page, screenshot }) => {
      await signInByRequests(page, servers.site, 'verified');
      await page.goto(`${servers.site}/share`);
      await page.locator('.service-share-button svg').waitFor();
      const button = page.getByRole('link', { name: 'Share with a colleague' });
      const { width, height } = (await button.boundingBox()) ?? { width: 0, height: 0 };
      expect([width, height].map((pixels) => Math.round(pixels * 0.75))).toEqual([140, 30]);
      await screenshot('share');
      const { searchParams } = new URL((await button.getAttribute('href')) ?? '');
      expect([...searchParams.keys()]).toEqual(['url', 'message', 'subject']);
      const [opened] = await Promise.all([page.waitForEvent('popup'), button.click()]);
      await expectHeading(opened, 'New message');
      expect(await opened.getByLabel('Subject').inputValue()).toBe('Notes from the ward');
    }));

  test('the header has the same place on a page with a scroll bar and one without', () =>
    visit(browser, async ({ page }) => {
      await signInByRequests(page, servers.site, 'verified');
      const placesOn = async (path: string) => {
        await page.goto(servers.site + path);
        const boxes = ['.brand', '.user', 'header nav', 'main'].map((part) => page.locator(part).boundingBox());
        const [brand, user, nav, main] = await Promise.all(boxes);
        const scrolls = await page.evaluate('document.documentElement.scrollHeight > innerHeight');
        return { scrolls, places: { brand, user, nav, main: [main?.x, main?.y, main?.width] } };
      };
      const home = await placesOn('/');
      const profile = await placesOn('/profile');
      expect([home.scrolls, profile.scrolls]).toEqual([false, true]);
      expect(profile.places).toEqual(home.places);
    }));

  test("the pages of the package have the site's logo and name where its own pages have them", () =>
    visit(browser, async ({ page, expectStatus }) => {
      expectStatus('403 /notes');
      await signInByRequests(page, servers.site, 'pending');
      await page.goto(servers.site);
      const placeOf = async (image: Locator) => {
        const { x = 0, y = 0, width = 0, height = 0 } = (await image.boundingBox()) ?? {};
        return [x, y, width, height].map(Math.round);
      };
      const place = await placeOf(page.locator('.brand img'));
      await page.goto(`${servers.site}/notes`);
      await expectHeading(page, 'Your verification is in progress');
      const home = page.getByRole('banner').getByRole('link', { name: 'Rounds' });
      expect(await placeOf(home.locator('img'))).toEqual(place);
      await home.click();
      await expectHeading(page, 'Welcome, Peter Nakamura, DO');
    }));

  test('a button that deletes or revokes has another color than the others', () =>
    visit(browser, async ({ page }) => {
      await signInByRequests(page, servers.site, 'verified');
      await page.goto(`${servers.site}/account`);
      const colorOf = (name: string) =>
        page.evaluate<string>(
          `getComputedStyle([...document.querySelectorAll('button')].find(({ textContent }) => textContent === '${name}')).color`,
        );
      const [usual, ...destructive] = await Promise.all(['Refresh now', 'Revoke', 'Erase my data'].map(colorOf));
      expect(destructive[0]).toBe(destructive[1]);
      expect(destructive).not.toContain(usual);
    }));

  test('a sign-in works with the keyboard only', () =>
    visit(browser, async ({ page }) => {
      await page.goto(servers.site);
      await tabTo(page, /Sign in as a clinician/);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${servers.provider.issuer}/**`);
      if (!(await page.getByLabel('User name').evaluate((input) => input === input.ownerDocument.activeElement))) {
        await tabTo(page, /user name/i);
      }
      await page.keyboard.type('verified');
      await tabTo(page, /password/i);
      await page.keyboard.type('clinician');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: /deny/i }).waitFor();
      await tabTo(page, /approve/i);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${servers.site}/`);
      await tabTo(page, /Notes/);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${servers.site}/notes`);
    }));

  test('a hostile profile is shown as text', () =>
    visit(browser, async ({ page, screenshot }) => {
      await signInByRequests(page, servers.site, 'hostile');
      await page.goto(`${servers.site}/profile`);
      await screenshot('hostile');
      expect(await page.locator('main :is(script, svg, marquee, textarea, u, i, b, img, a)').count()).toBe(0);
      expect((await profileOn(page)).Person).toMatchObject({
        'First name': ['<script>alert("first")</script>'],
        'Last name': [`"'><img src=x onerror=alert(1)>`],
      });
    }));

  test('duplicateCallback: the site redeems a code that arrives twice once and signs the user in', async () => {
    const { provider, site } = servers;
    // Not visit(): the browser complains that what it loaded is not an image.
    const context = await newProfile(browser);
    const page = await context.newPage();
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
    await context.close();
  });

  test('sessionChanged: a session_state that was never unchanged starts one check, and the user remains signed in', () =>
    visit(browser, async ({ page }) => {
      const { provider, site } = servers;
      provider.faults.next('sessionChanged');
      await signInByRequests(page, site, 'verified');
      const reported = page.waitForResponse(
        (response) => response.url().includes('/auth/session-check') && response.request().method() === 'POST',
      );
      await page.goto(`${site}/account`);
      await reported;
      await page.goto(`${site}/account`);
      await page.goto(site);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
      expect(provider.requests.filter(({ query }) => query.prompt === 'none')).toHaveLength(1);
    }));
});

test('the Content-Security-Policy blocks an injected script', () =>
  withServers({}, async ({ site }) => {
    const context = await newProfile(browser);
    try {
      const page = await context.newPage();
      const messages: string[] = [];
      page.on('console', (message) => messages.push(message.text()));
      const reported = page.waitForEvent('console');
      await page.goto(site);
      await page.evaluate(
        `document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))`,
      );
      await reported;
      expect(await page.evaluate('window.ran')).toBeUndefined();
      expect(messages).toEqual([expect.stringContaining('Content Security Policy')]);
    } finally {
      await context.close();
    }
  }));

test.each(['passport', 'drop-in'] as const)(
  'a SameSite=Strict session works by %s, with the provider on another site',
  (signInBy) =>
    withServers({ signInBy, sameSite: 'strict', providerHost: 'localhost' }, ({ site, provider }) =>
      visit(browser, async ({ page }) => {
        expect(new URL(provider.issuer).hostname).toBe('localhost');
        await page.goto(`${site}/notes`);
        await logInAs(page, 'verified');
        await approve(page);
        await page.waitForURL(`${site}/notes`);
        await expectHeading(page, 'Notes');
        const cookies = await page.context().cookies(site);
        expect(cookies.find(({ name }) => name === 'rounds.session')).toMatchObject({ sameSite: 'Strict' });

        // Again, with a session and a consent at the provider: no page would interrupt a redirect loop.
        await page.context().clearCookies({ name: 'rounds.session' });
        await page.goto(`${site}/notes`);
        await page.waitForURL(`${site}/notes`);
        await expectHeading(page, 'Notes');
      }),
    ),
);

test('with only the scope openid the profile page names the missing scope', () =>
  withServers({ scope: ['openid'] }, ({ site }) =>
    visit(browser, async ({ page, screenshot }) => {
      await signInByRequests(page, site, 'verified');
      await page.goto(`${site}/profile`);
      await expectHeading(page, 'This page needs a scope that this site does not request');
      expect(await page.locator('.lead').textContent()).toMatch(/needs the scope basic/);
      await screenshot('missing-scope');
    }),
  ));
