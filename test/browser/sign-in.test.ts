import type { Browser } from 'playwright-core';
import { launch, startWorld, visit, type World } from './harness.js';
import { approve, curriculumOn, deny, heading, logInAs, signInAs, tabTo } from './pages.js';

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
      expect(page.url()).toBe(`${world.site}/`);
      expect(await heading(page)).toBe('Welcome, Vera Castellanos, MD');
      await picture(`${flow}-welcome`);

      await page.getByRole('link', { name: 'Profile' }).first().click();
      expect(await heading(page)).toBe('Vera Castellanos, MD');
      expect(await curriculumOn(page)).toEqual(CURRICULUM);
      expect(await page.getByText('Internist with an interest in the hearts of older people.').count()).toBe(1);
      await picture(`${flow}-profile`);

      await page.getByRole('link', { name: 'Notes' }).first().click();
      expect(await heading(page)).toBe('Notes');

      await page.getByRole('link', { name: 'Account' }).first().click();
      await picture(`${flow}-account`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      expect(await heading(page)).toBe('You are signed out');
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
      expect(await heading(page)).toBe('You are not signed in');
      expect(await page.getByText('denied').count()).toBe(1);
      await picture(`${flow}-denied`);
      await page.getByRole('link', { name: 'Try again' }).click();
      await approve(page);
      expect(await heading(page)).toBe('Welcome, Vera Castellanos, MD');
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
      if (!other.url().startsWith(world.site)) await approve(other);
      expect(other.url()).toBe(`${world.site}/account`);
      await page.reload();
      expect(await heading(page)).toBe('Vera Castellanos, MD');
    }));

  test('going back, and the callback address once more, do no harm (attack 135)', () =>
    visit(browser, async ({ page, picture, expectAnswer }) => {
      expectAnswer('403 /oauth/login', '403 /auth/callback'); // the provider takes each form once
      const callbacks: string[] = [];
      page.on('request', (request) => {
        if (request.url().startsWith(`${world.site}/auth/callback`)) callbacks.push(request.url());
      });
      await page.goto(world.site);
      await signInAs(page, 'verified');
      await page.goBack();
      await picture(`${flow}-back`);
      await page.goForward();
      expect(await heading(page)).toBe('Welcome, Vera Castellanos, MD');

      await page.goto(callbacks[0] as string);
      expect(await heading(page)).toBe('Please sign in once more');
      await picture(`${flow}-callback-again`);
      await page.reload();
      await page.goto(world.site);
      expect(await heading(page)).toBe('Welcome, Vera Castellanos, MD');
    }));
});

describe('at the notes', () => {
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
      expect(await heading(page)).toBe('Notes');
    }));

  test('who is pending is told to wait, and reads them once verified', () =>
    visit(browser, async ({ page, picture, expectAnswer }) => {
      expectAnswer('403 /notes');
      await page.goto(world.site);
      await signInAs(page, 'pending');
      await page.goto(`${world.site}/notes`);
      expect(await heading(page)).toBe('Your verification is under way');
      await picture('pending');
      world.provider.clinicians.update('pending', { verified: true });
      await page.getByRole('link', { name: 'Check again' }).click();
      expect(await heading(page)).toBe('Notes');
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
      await tabTo(page, /approve|allow/i);
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
      expect(await heading(page)).toBe('Notes');
      const cookies = await page.context().cookies(world.site);
      expect(cookies.find(({ name }) => name === 'rounds.session')).toMatchObject({ sameSite: 'Strict' });

      // Once more, with a provider that knows both the person and the consent: no page in between, so no end to a loop.
      await page.getByRole('link', { name: 'Account' }).click();
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.goto(`${world.site}/notes`);
      await page.waitForURL(`${world.site}/notes`);
      expect(await heading(page)).toBe('Notes');
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
      expect(await page.locator('.lead').textContent()).toMatch(/takes the scope basic/);
      await picture('missing-scope');
    });
  } finally {
    await world.stop();
  }
});
