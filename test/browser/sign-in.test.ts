import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { launch, startWorld, visit, type World } from './harness.js';
import { approve, curriculumOn, deny, expectHeading, logInAs, signInAs } from './pages.js';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
}, 60_000);
afterAll(() => browser.close());

/** The whole CV of the persona `verified`, as the site shows it. */
const CURRICULUM = {
  Person: {
    'First name': ['Vera'],
    'Middle name': ['Ines'],
    'Last name': ['Castellanos'],
    'Maiden name': ['Lindqvist'],
    Gender: ['F'],
    NPI: ['1234567893'],
    Email: ['vera.castellanos@clinic.example'],
    Colleagues: ['3'],
    'Id at the service': [expect.stringMatching(/^\d+$/)],
  },
  Profession: {
    Credentials: ['MD'],
    Specialty: ['Internal Medicine'],
    'Specialty, in full': ['Internal Medicine'],
    'Specialty, short': ['IM'],
    'Specialty code': ['207R00000X'],
    'Specialty id': ['17'],
    'Credential id': ['4'],
    Subspecialties: ['Cardiovascular Disease', 'Geriatric Medicine'],
    Hospitals: ['Bayview General Hospital (AHA 6930043)', 'Saint Luke Medical Center (AHA 6930112)'],
  },
  Training: {
    'Medical school': ['Pacific University School of Medicine'],
    Residencies: ['Bayview General Hospital', 'Lakeside Medical Center'],
  },
  Office: {
    Address: ['1500 Parnassus Avenue', 'Suite 320', 'San Francisco, CA 94117'],
    Phone: ['415-555-0132'],
    Fax: ['415-555-0133'],
    Position: ['37.7659, -122.4571'],
  },
  'Other office 1': { Address: ['22 Harbor Way', 'Sausalito, CA 94965'], Phone: ['415-555-0150'], Fax: ['none'] },
  'Other office 2': {
    Address: ['900 Valencia Street', 'Floor 2', 'San Francisco, CA 94110'],
    Phone: ['415-555-0171'],
    Fax: ['415-555-0172'],
  },
};

describe.each(['openid', 'profile'] as const)('in the %s flow', (flow) => {
  let world: World;
  beforeAll(async () => {
    world = await startWorld({ flow });
  });
  afterEach(() => world.provider.reset());
  afterAll(() => world.stop());

  test('a verified clinician signs in, sees the whole CV, reads the notes and signs out', () =>
    visit(browser, async ({ page, picture }) => {
      await page.goto(world.site);
      await picture(`${flow}-front`);
      await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
      await picture(`${flow}-provider-login`);
      await logInAs(page, 'verified');
      await picture(`${flow}-provider-consent`);
      await approve(page);
      await page.waitForURL(`${world.site}/`);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
      await picture(`${flow}-welcome`);

      await page.getByRole('link', { name: 'Profile' }).first().click();
      await expectHeading(page, 'Vera Castellanos, MD');
      expect(await curriculumOn(page)).toEqual(CURRICULUM);
      expect(await page.getByText('Internist with an interest in the hearts of older people.').count()).toBe(1);
      await picture(`${flow}-profile`);

      await page.getByRole('link', { name: 'Notes' }).first().click();
      await expectHeading(page, 'Notes');

      await page.getByRole('link', { name: 'Account' }).first().click();
      await picture(`${flow}-account`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expectHeading(page, 'You are signed out');
      await picture(`${flow}-signed-out`);
      await page.goto(world.site);
      expect(await page.getByRole('link', { name: 'Sign in as a clinician' }).count()).toBe(1);
      expect(await page.request.get(`${world.site}/api/me`).then((answer) => answer.status())).toBe(401);
    }));

  test('who denies sees a friendly page, tries again and is signed in', () =>
    visit(browser, async ({ page, picture, expectAnswer }) => {
      expectAnswer('403 /auth/callback');
      await page.goto(world.site);
      await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
      await logInAs(page, 'verified');
      await deny(page);
      await expectHeading(page, 'You are not signed in');
      expect(await page.getByText('denied').count()).toBe(1);
      await picture(`${flow}-denied`);
      await page.getByRole('link', { name: 'Try again' }).click();
      await approve(page);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
    }));

  test('two tabs started before either is finished both end signed in (attack 137)', () =>
    visit(browser, async ({ page, newTab }) => {
      const other = await newTab();
      await page.goto(`${world.site}/profile`);
      await other.goto(`${world.site}/account`);
      await logInAs(page, 'verified');
      await approve(page);
      expect(page.url()).toBe(`${world.site}/profile`);
      await logInAs(other, 'verified');
      await other.waitForURL(`${world.site}/account`); // what was approved in the first tab needs no second approval
      await page.reload();
      await expectHeading(page, 'Vera Castellanos, MD');
    }));

  test('going back, and the callback address once more, do no harm (attack 135)', () =>
    visit(browser, async ({ page, picture, expectAnswer }) => {
      expectAnswer('400 /oauth/resume', '403 /auth/callback'); // the provider's page was used up by signing in
      const callbacks: string[] = [];
      page.on('request', (request) => {
        if (request.url().startsWith(`${world.site}/auth/callback`)) callbacks.push(request.url());
      });
      await page.goto(world.site);
      await signInAs(page, 'verified');
      await page.goBack();
      await picture(`${flow}-back`);
      await page.goForward();
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');

      await page.goto(callbacks[0] as string);
      await expectHeading(page, 'You are signed in');
      await picture(`${flow}-callback-again`);
      await page.reload();
      await page.goto(world.site);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
    }));
});
