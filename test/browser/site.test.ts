import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launch, startWorld, visit, type World } from './harness.js';
import { approve, curriculumOn, expectHeading, logInAs, signInAs, tabTo } from './pages.js';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
}, 60_000);
afterAll(() => browser.close());

describe('on the site', () => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld();
  });
  afterEach(() => world.provider.reset());
  afterAll(() => world.stop());

  test('who is signed out is asked to sign in and comes back to them', () =>
    visit(browser, async ({ page }) => {
      await page.goto(`${world.site}/notes`);
      expect(page.url()).toMatch(new RegExp(`^${world.provider.issuer}/`));
      await logInAs(page, 'verified');
      await approve(page);
      expect(page.url()).toBe(`${world.site}/notes`);
      await expectHeading(page, 'Notes');
    }));

  test('who is pending is told to wait, and reads them once verified', () =>
    visit(browser, async ({ page, picture, expectAnswer }) => {
      expectAnswer('403 /notes');
      await page.goto(world.site);
      await signInAs(page, 'pending');
      await page.goto(`${world.site}/notes`);
      await expectHeading(page, 'Your verification is in progress');
      await picture('pending');
      world.provider.clinicians.update('pending', { verified: true });
      await page.getByRole('link', { name: 'Check again' }).click();
      await expectHeading(page, 'Notes');
    }));

  test('without a mouse the sign-in takes Tab and Enter', () =>
    visit(browser, async ({ page }) => {
      await page.goto(world.site);
      await tabTo(page, /Sign in as a clinician/);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${world.provider.issuer}/**`);
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
      await page.waitForURL(`${world.site}/`);
      await tabTo(page, /Notes/);
      await page.keyboard.press('Enter');
      await page.waitForURL(`${world.site}/notes`);
    }));

  test('a hostile profile is text and nothing else (attacks 164, 165)', () =>
    visit(browser, async ({ page, picture }) => {
      await page.goto(world.site);
      await signInAs(page, 'hostile');
      await page.goto(`${world.site}/profile`);
      await picture('hostile');
      expect(await page.locator('main :is(script, svg, marquee, textarea, u, i, b, img, a)').count()).toBe(0);
      expect((await curriculumOn(page)).Person).toMatchObject({
        'First name': ['<script>alert("first")</script>'],
        'Last name': [`"'><img src=x onerror=alert(1)>`],
      });
    }));
});

test('the site asks the browser for a policy that lets no strange script run (attack 167)', async () => {
  const world = await startWorld();
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const complaints: string[] = [];
    page.on('console', (message) => complaints.push(message.text()));
    await page.goto(world.site);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: 'window.ran = 1' }))`,
    );
    expect(await page.evaluate('window.ran')).toBeUndefined();
    expect(complaints).toEqual([expect.stringContaining('Content Security Policy')]);
  } finally {
    await context.close();
    await world.stop();
  }
});

test('a SameSite=Strict session works, with the provider on another site', async () => {
  const world = await startWorld({ sameSite: 'strict', providerHost: 'localhost' });
  try {
    await visit(browser, async ({ page }) => {
      expect(new URL(world.provider.issuer).hostname).toBe('localhost');
      await page.goto(`${world.site}/notes`);
      await logInAs(page, 'verified');
      await approve(page);
      await page.waitForURL(`${world.site}/notes`);
      await expectHeading(page, 'Notes');
      const cookies = await page.context().cookies(world.site);
      expect(cookies.find(({ name }) => name === 'rounds.session')).toMatchObject({ sameSite: 'Strict' });

      // Once more, with a provider that knows both the person and the consent: no page in between, so no end to a loop.
      await page.context().clearCookies({ name: 'rounds.session' });
      await page.goto(`${world.site}/notes`);
      await page.waitForURL(`${world.site}/notes`);
      await expectHeading(page, 'Notes');
    });
  } finally {
    await world.stop();
  }
});

test('with scope openid alone the profile page says which scope is missing', async () => {
  const world = await startWorld({ scope: ['openid'] });
  try {
    await visit(browser, async ({ page, picture }) => {
      await page.goto(world.site);
      await signInAs(page, 'verified');
      await page.getByRole('link', { name: 'Profile' }).first().click();
      await expectHeading(page, 'This page needs more than this site asks for');
      expect(await page.locator('.lead').textContent()).toMatch(/takes the scope basic/);
      await picture('missing-scope');
    });
  } finally {
    await world.stop();
  }
});
