import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { accessibilityProblems, NO_PROBLEMS } from './accessibility.js';
import { launch, visit } from './harness.js';
import { expectHeading, logInAs, tabTo } from './pages.js';

let browser: Browser;
let provider: MockProvider;

beforeAll(async () => {
  [browser, provider] = await Promise.all([launch(), startMockProvider({ verification: 'queued' })]);
}, 60_000);
afterEach(() => provider.reset());
afterAll(() => Promise.all([browser.close(), provider.stop()]));

/** An authorization request whose redirect URI is a document of the provider, so that no site is needed. */
function authorizeURL(more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    client_id: provider.clients.openid.clientID,
    response_type: 'code',
    redirect_uri: `${provider.issuer}/.well-known/jwks.json`,
    scope: 'openid basic colleagues email',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...more,
  });
  return `${provider.issuer}/oauth/authorize?${query}`;
}

/** The parameters that request the profile flow. */
const profileFlow = () => ({ client_id: provider.clients.profile.clientID, scope: 'basic' });

const ANN = {
  'First name': 'Ann',
  'Last name': 'Lee',
  NPI: '1000000004',
  Specialty: 'Cardiology',
  'E-mail address': 'ann@clinic.example',
  Password: 'a long password',
};

async function register(page: Page, values: Partial<typeof ANN> = {}): Promise<void> {
  await page.goto(authorizeURL({ prompt: 'create' }));
  for (const [label, value] of Object.entries({ ...ANN, ...values })) await page.getByLabel(label).fill(value);
  await page.getByLabel('Credentials').selectOption('MD');
  await page.getByRole('button', { name: 'Create account' }).click();
}

type PageUnderTest = [heading: string, open: (page: Page) => Promise<unknown>];

const CONSENT = 'Your application asks for your approval';

async function signIn(page: Page, path: string, username = 'verified'): Promise<void> {
  await page.goto(path);
  await logInAs(page, username);
}

async function submitWrongPassword(page: Page): Promise<void> {
  await page.goto(authorizeURL());
  await page.getByLabel('User name').fill('verified');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.alert').waitFor();
}

async function submitInvalidRegistration(page: Page): Promise<void> {
  await register(page, { NPI: '1000000005', Password: 'short' });
  await page.locator('.alert').waitFor();
}

const at = (path: string) => provider.issuer + path;
const SHARED = '/inbox/conversations/new_message?url=https://clinic.example/a&subject=A';

const PAGES: Record<string, PageUnderTest> = {
  login: ['Sign in', (page) => page.goto(authorizeURL())],
  'wrong-password': ['Sign in', submitWrongPassword],
  'verify-landing': [
    'Verify that you are a clinician',
    (page) => page.goto(authorizeURL({ type: 'verify', ...profileFlow() })),
  ],
  consent: [CONSENT, (page) => signIn(page, authorizeURL())],
  'hostile-consent': [CONSENT, (page) => signIn(page, authorizeURL(), 'hostile')],
  'popup-login': ['Sign in', (page) => page.goto(authorizeURL({ display: 'popup' }))],
  'popup-consent': [CONSENT, (page) => signIn(page, authorizeURL({ display: 'popup' }))],
  create: ['Create your account', (page) => page.goto(authorizeURL({ prompt: 'create' }))],
  'create-wrong': ['Create your account', submitInvalidRegistration],
  'verification-queue': ['We are checking your details', (page) => register(page)],
  error: ['Invalid request', (page) => page.goto(at('/oauth/authorize?client_id=unknown'))],
  'used-page': ['This page is no longer in use', (page) => page.goto(at('/oauth/resume?interaction=gone'))],
  'sign-out': ['Sign out?', (page) => page.goto(at('/oauth/logout'))],
  'new-message': ['New message', (page) => signIn(page, at(SHARED))],
  inbox: ['Your inbox', (page) => signIn(page, at('/inbox/conversations'))],
};

const STATUSES = [
  '400 /oauth/login',
  '400 /oauth/registration',
  '400 /oauth/authorize',
  '400 /oauth/resume',
  '400 /oauth/logout',
];

describe.each([
  ['on a phone, in light', { viewport: { width: 360, height: 700 }, colorScheme: 'light' }],
  ['on a desktop, in dark', { viewport: { width: 1280, height: 800 }, colorScheme: 'dark' }],
] as [string, BrowserContextOptions][])('%s', (device, options) => {
  test.each(Object.entries(PAGES))(
    '%s: the page fits, has contrast and labels, and causes no error in the browser',
    (name, [title, open]) =>
      visit(
        browser,
        async ({ page, screenshot, expectStatus }) => {
          expectStatus(...STATUSES);
          await open(page);
          await expectHeading(page, title);
          await screenshot(`mock-provider-${name}-${device.replaceAll(/\W+/g, '-')}`);
          expect(await accessibilityProblems(page)).toEqual(NO_PROBLEMS);
          expect(await page.locator('h1').count()).toBe(1);
          expect(await page.locator('html').getAttribute('lang')).toBe('en');
          expect(await page.evaluate('document.styleSheets.length')).toBe(1);
        },
        options,
      ),
  );
});

const focused = (page: Page) => page.evaluate('document.activeElement.id || document.activeElement.className');

test('after a wrong password the password field has the focus and the message as its description', () =>
  visit(browser, async ({ page, expectStatus }) => {
    expectStatus('400 /oauth/login');
    await submitWrongPassword(page);
    expect(await focused(page)).toBe('password');
    expect(await page.getByLabel('User name').inputValue()).toBe('verified');
    const described = await page.getByLabel('Password').getAttribute('aria-describedby');
    expect(await page.locator(`#${described}`).textContent()).toBe('The user name or the password is incorrect.');
    expect(await page.title()).toBe('Error: Sign in - Clinician Identity');
  }));

test('an account can be created with the keyboard only: the list of errors has the focus and links to the fields', () =>
  visit(browser, async ({ page, expectStatus }) => {
    expectStatus('400 /oauth/registration');
    await page.goto(authorizeURL({ prompt: 'create' }));
    expect(await focused(page)).toBe('firstName');
    await page.keyboard.type('Ann');
    for (const label of ['Last name', 'NPI', 'Credentials', 'Specialty', 'E-mail address', 'Password'] as const) {
      const value = { ...ANN, NPI: '1000000005', Credentials: 'MD' }[label];
      await tabTo(page, new RegExp(`^${label}`));
      await page.keyboard.type(value);
    }
    await page.keyboard.press('Enter');
    await page.locator('.alert:focus').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('This NPI is invalid: its check digit does not match.');
    await page.keyboard.press('Enter');
    await page.waitForURL('**#npi');
    expect(await focused(page)).toBe('npi');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(ANN.NPI);
    await tabTo(page, /^Password/);
    await page.keyboard.type(ANN.Password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'We are checking your details' }).waitFor();
    await tabTo(page, /Continue to/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your application asks for your approval' }).waitFor();
    await tabTo(page, /Read your email address/);
    await page.keyboard.press('Space');
    await tabTo(page, /Approve/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/jwks.json?code=*');
  }));

test('back and forward during a sign-in never submit a form twice, and the sign-in can be completed', () =>
  visit(browser, async ({ page, expectStatus }) => {
    expectStatus('403 /oauth/login', '400 /oauth/resume');
    await page.goto(authorizeURL());
    await logInAs(page, 'verified');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.reload();
    await page.goBack();
    await page.getByRole('button', { name: 'Approve' }).waitFor(); // the user is signed in, so the first address shows the consent page
    await page.goForward();
    await expectHeading(page, 'Your application asks for your approval');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL('**/jwks.json?code=*');
    await page.goBack();
    await expectHeading(page, 'This page is no longer in use');
  }));

test('a login form that was submitted in another tab links to the next page', () =>
  visit(browser, async ({ page, newTab, expectStatus }) => {
    expectStatus('403 /oauth/login');
    await page.goto(authorizeURL());
    const copy = await newTab();
    const interaction = await page.locator('[name=interaction]').inputValue();
    await copy.goto(`${provider.issuer}/oauth/resume?interaction=${interaction}`);
    await logInAs(copy, 'verified');
    await copy.getByRole('button', { name: 'Approve' }).waitFor();
    await logInAs(page, 'verified');
    await expectHeading(page, 'This form was already submitted');
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL('**/jwks.json?code=*');
  }));

test('an approval is refused when another user signed in since, in another tab', () =>
  visit(browser, async ({ page, newTab, expectStatus, screenshot }) => {
    expectStatus('400 /oauth/consent');
    await page.goto(authorizeURL());
    const other = await newTab();
    await other.goto(authorizeURL({ prompt: 'login' }));
    await logInAs(page, 'verified');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await logInAs(other, 'connected');
    await other.getByRole('button', { name: 'Approve' }).waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Another user is signed in with this browser.').waitFor();
    await screenshot('mock-provider-another-user');
    await page.getByRole('link', { name: 'Not you? Use another account' }).click();
    await logInAs(page, 'verified');
    await page.getByText('Vera Castellanos, MD').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL('**/jwks.json?code=*');
  }));

test('no page can be framed', async () => {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    const refused = page.waitForEvent('console', (message) => message.text().includes('frame'));
    await page.goto(`${provider.issuer}/.well-known/jwks.json`);
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('iframe'), { src: ${JSON.stringify(authorizeURL())} }))`,
    );
    expect((await refused).text()).toMatch(/frame-ancestors|X-Frame-Options/);
    expect(await page.frames()[1]?.locator('form').count()).toBe(0);
  } finally {
    await context.close();
  }
});
