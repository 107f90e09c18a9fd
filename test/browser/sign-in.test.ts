import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { COMBINATIONS } from '../example-app/site.js';
import { EACH_ONCE, launch, type Servers, startServers, visit, withServers } from './harness.js';
import { approve, deny, expectHeading, logInAs, profileOn, signInAs, signInByRequests } from './pages.js';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

/** The profile of the test user `verified`, as the site shows it. */
const PROFILE = {
  Person: {
    'First name': ['Vera'],
    'Middle name': ['Ines'],
    'Last name': ['Castellanos'],
    'Maiden name': ['Lindqvist'],
    Gender: ['F'],
    NPI: ['1234567893'],
    Email: ['vera.castellanos@clinic.example'],
    Colleagues: ['3'],
  },
  Profession: {
    Credentials: ['MD'],
    Specialty: ['Internal Medicine'],
    'Specialty in full': ['Internal Medicine'],
    'Specialty, abbreviated': ['IM'],
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
    'Map position': ['37.7659, -122.4571'],
  },
  'Other office 1': { Address: ['22 Harbor Way', 'Sausalito, CA 94965'], Phone: ['415-555-0150'], Fax: ['none'] },
  'Other office 2': {
    Address: ['900 Valencia Avenue', 'Floor 2', 'San Francisco, CA 94110'],
    Phone: ['415-555-0171'],
    Fax: ['415-555-0172'],
  },
  'Codes at the service': {
    'Member number': [expect.stringMatching(/^\d+$/)],
    'Specialty code': ['207R00000X'],
    'Specialty number': ['17'],
    'Credential number': ['4'],
  },
};

describe.each(COMBINATIONS)('by $signInBy, in the $flow flow', ({ signInBy, flow }) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ signInBy, flow });
  });
  afterEach(() => servers.provider.reset());
  afterAll(() => servers.stop());

  test('a verified clinician signs in, sees the whole profile, reads the notes and signs out', () =>
    visit(browser, async ({ page, screenshot }) => {
      await page.goto(servers.site);
      await screenshot(`${flow}-front`);
      await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
      await screenshot(`${flow}-provider-login`);
      await logInAs(page, 'verified');
      await screenshot(`${flow}-provider-consent`);
      await page.getByLabel(/Read your email address/).check();
      await approve(page);
      await page.waitForURL(`${servers.site}/`);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
      await screenshot(`${flow}-welcome`);

      await page.getByRole('link', { name: 'Profile' }).first().click();
      await expectHeading(page, 'Vera Castellanos, MD');
      expect(await profileOn(page)).toEqual(PROFILE);
      expect(await page.getByText('Internist with an interest in the hearts of older people.').count()).toBe(1);
      await screenshot(`${flow}-profile`);

      await page.getByRole('link', { name: 'Notes' }).first().click();
      await expectHeading(page, 'Notes');

      await page.getByRole('link', { name: 'Account' }).first().click();
      await screenshot(`${flow}-account`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expectHeading(page, 'You are signed out');
      await screenshot(`${flow}-signed-out`);
      await page.goto(servers.site);
      expect(await page.getByRole('link', { name: 'Sign in as a clinician' }).count()).toBe(1);
      expect(await page.request.get(`${servers.site}/api/me`).then((response) => response.status())).toBe(401);
    }));
});

describe.each(EACH_ONCE)('by $signInBy, in the $flow flow', ({ signInBy, flow }) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ signInBy, flow });
  });
  afterEach(() => servers.provider.reset());
  afterAll(() => servers.stop());

  test('a denial shows a page that offers another try, which signs the user in', () =>
    visit(browser, async ({ page, screenshot, expectStatus }) => {
      expectStatus('403 /auth/callback');
      await page.goto(servers.site);
      await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
      await logInAs(page, 'verified');
      await deny(page);
      await expectHeading(page, signInBy === 'passport' ? 'You are not signed in' : 'The sign-in was not completed');
      expect(await page.getByText('did not allow this site to sign you in').count()).toBe(1);
      await screenshot(`${flow}-denied`);
      await page.getByRole('link', { name: /Try again|Sign in as a clinician/ }).click();
      await approve(page);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
    }));

  test('signing in again requires the password and returns to the account', () =>
    visit(browser, async ({ page }) => {
      await signInByRequests(page, servers.site, 'verified');
      await page.goto(`${servers.site}/account`);
      await page.getByRole('button', { name: 'Sign in again' }).click();
      await logInAs(page, 'verified');
      await page.waitForURL(`${servers.site}/account`);
      await expectHeading(page, 'Account');
    }));

  test('two sign-ins in two tabs at the same time both succeed', () =>
    visit(browser, async ({ page, newTab }) => {
      const other = await newTab();
      await page.goto(`${servers.site}/profile`);
      await other.goto(`${servers.site}/account`);
      await logInAs(page, 'verified');
      await approve(page);
      expect(page.url()).toBe(`${servers.site}/profile`);
      await logInAs(other, 'verified');
      await other.waitForURL(`${servers.site}/account`); // approved in the first tab already
      await page.reload();
      await expectHeading(page, 'Vera Castellanos, MD');
    }));

  test('after back, forward and a repeated callback the user is still signed in', () =>
    visit(browser, async ({ page, screenshot, expectStatus }) => {
      expectStatus('400 /oauth/resume', '403 /auth/callback'); // the provider's page can be submitted only once
      const callbacks: string[] = [];
      page.on('request', (request) => {
        if (request.url().startsWith(`${servers.site}/auth/callback`)) callbacks.push(request.url());
      });
      await page.goto(servers.site);
      await signInAs(page, 'verified');
      await page.goBack();
      await screenshot(`${flow}-back`);
      await page.goForward();
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');

      await page.goto(callbacks[0] as string);
      await expectHeading(page, 'You are signed in');
      await screenshot(`${flow}-callback-again`);
      await page.reload();
      await page.goto(servers.site);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
    }));
});

test.each(['passport', 'drop-in'] as const)('another user is signed in only after a sign-out, by %s', (signInBy) =>
  withServers({ signInBy, providerHost: 'localhost' }, ({ site, provider }) =>
    visit(browser, async ({ page, screenshot, expectStatus }) => {
      await signInByRequests(page, site, 'verified');
      const user = async () => (await page.request.get(`${site}/api/me`)).text();
      const before = await user();

      // Another user signs in at the service, and a page there links to the site.
      await page.goto(`${provider.issuer}/`);
      await page.context().clearCookies({ domain: 'localhost' });
      await page.evaluate(`location.href = '${site}/auth/login?returnTo=%2Faccount'`);
      await page.waitForURL(`${site}/account`);
      await page.goto(`${provider.issuer}/`);
      expectStatus('403 /auth/callback');
      await page.evaluate(`location.href = '${site}/auth/login?prompt=login&returnTo=%2Faccount'`);
      await logInAs(page, 'connected');
      await approve(page);
      await page.getByText('To sign in as another user, sign out first.').first().waitFor();
      await screenshot(`${signInBy}-user-changed`);
      expect(await user()).toBe(before);
    }),
  ),
);
