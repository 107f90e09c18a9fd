import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { launch, newProfile, type Visit, visit } from './harness.js';
import { expectHeading, logInAs, tabTo } from './pages.js';

let browser: Browser;
let provider: MockProvider;

beforeAll(async () => {
  [browser, provider] = await Promise.all([launch(), startMockProvider({ verification: 'queued' })]);
});
afterEach(() => provider.reset());
afterAll(() => Promise.all([browser.close(), provider.stop()]));

/** An authorization request whose redirect URI is a document of the provider, so that no site is needed. */
function authorizeURL(more: Record<string, string> = {}, { clients, issuer } = provider): string {
  const query = new URLSearchParams({
    client_id: clients.openid.clientID,
    response_type: 'code',
    redirect_uri: `${provider.issuer}/.well-known/jwks.json`,
    scope: 'openid basic colleagues email',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...more,
  });
  return `${issuer}/oauth/authorize?${query}`;
}

const ANN = {
  'First name': 'Ann',
  'Last name': 'Lee',
  NPI: '1000000004',
  Specialty: 'Cardiology',
  'Email address': 'ann@clinic.example',
  Password: 'a long password',
};

async function submitWrongPassword(page: Page): Promise<void> {
  await page.goto(authorizeURL());
  await page.getByLabel('User name').fill('verified');
  await page.getByLabel('Password').fill('wrong');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.locator('.alert').waitFor();
}

/** @returns the id or the class of the element with the focus. A browser may set it after it has shown the page. */
async function focused(page: Page): Promise<unknown> {
  const element = page.locator(':focus');
  // The content security policy of the page refuses page.waitForFunction().
  await element.waitFor({ state: 'attached' });
  return (await element.getAttribute('id')) ?? (await element.getAttribute('class'));
}

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

test('a user signs in with one click, also with the keyboard and without scripts', () =>
  visit(
    browser,
    async ({ page, screenshot }) => {
      await page.goto(authorizeURL());
      await screenshot('mock-provider-one-click');
      await page.getByRole('button', { name: 'Vera Castellanos, MD, verified' }).click();
      await page.getByText('Signed in as Vera Castellanos, MD').waitFor();
      await page.getByRole('link', { name: 'Not you? Use another account' }).click();
      await tabTo(page, /^Peter Nakamura, DO, not verified/);
      await page.keyboard.press('Enter');
      await page.getByText('Signed in as Peter Nakamura, DO').waitFor();
    },
    { javaScriptEnabled: false },
  ));

test('an account can be created with the keyboard only: the list of errors has the focus and links to the fields', () =>
  visit(browser, async ({ page, expectStatus }) => {
    expectStatus('400 /oauth/registration');
    await page.goto(authorizeURL({ prompt: 'create' }));
    expect(await focused(page)).toBe('firstName');
    await page.keyboard.type('Ann');
    for (const label of ['Last name', 'NPI', 'Credentials', 'Specialty', 'Email address', 'Password'] as const) {
      const value = { ...ANN, NPI: '1000000005', Credentials: 'MD' }[label];
      await tabTo(page, new RegExp(`^${label}`));
      await page.keyboard.type(value);
    }
    await page.keyboard.press('Enter');
    await page.locator('.alert:focus').waitFor();
    await page.keyboard.press('Tab');
    expect(await page.locator(':focus').textContent()).toBe('This NPI is invalid: its check digit does not match.');
    await page.keyboard.press('Enter');
    await page.locator('#npi:focus').waitFor();
    expect(new URL(page.url()).hash).toBe('#npi');
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(ANN.NPI);
    await tabTo(page, /^Password/);
    await page.keyboard.type(ANN.Password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'We are checking your details' }).waitFor();
    await tabTo(page, /Continue to/);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `${new URL(provider.issuer).host} asks for your approval` }).waitFor();
    await tabTo(page, /Read your email address/);
    await page.keyboard.press('Space');
    await tabTo(page, /Approve/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/jwks.json?code=*');
  }));

test('the link below an error page opens its request in the inspector, with the registered values', () =>
  visit(browser, async ({ page, screenshot, expectStatus }) => {
    expectStatus('400 /oauth/authorize');
    const sent = 'https://clinic.example/callback';
    await page.goto(authorizeURL({ redirect_uri: sent }));
    await screenshot('mock-provider-redirect-uri');
    const opened = page.context().waitForEvent('page');
    await page.getByRole('link', { name: 'This request in the inspector' }).click();
    const inspector = await opened;
    const number = provider.requests.find(({ path }) => path === '/oauth/authorize')?.number;
    const request = inspector.locator(`#request-${number}`);
    await request.waitFor();
    expect(await request.getAttribute('class')).toContain('selected');
    const values = `Sent: ${sent}Registered: any address of this machine, such as`;
    await inspector.getByText(values).first().waitFor();
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
    await expectHeading(page, `${new URL(provider.issuer).host} asks for your approval`);
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL('**/jwks.json?code=*');
    await page.goBack();
    await expectHeading(page, 'This page is no longer in use');
  }));

test('three tabs that open at once without cookies can each sign in', () =>
  visit(browser, async ({ newTab }) => {
    const tabs = await Promise.all([newTab(), newTab(), newTab()]);
    await Promise.all(tabs.map((tab, index) => tab.goto(authorizeURL({ state: `tab ${index}` }))));
    for (const tab of tabs) await logInAs(tab, 'verified');
    for (const [index, tab] of tabs.entries()) {
      if (index === 0) await tab.getByRole('button', { name: 'Approve' }).click();
      else await tab.reload();
      await tab.waitForURL(`**/jwks.json?code=*&state=tab%20${index}*`);
    }
  }));

test.each([{}, { prompt: 'none' }])('the form of another site finds the session of the user: %j', (more) =>
  visit(browser, async ({ page }) => {
    await page.goto(authorizeURL());
    await logInAs(page, 'verified');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL('**/jwks.json?code=*');
    const fields = [...new URL(authorizeURL({ state: 'posted', ...more })).searchParams];
    const inputs = fields.map(([name, value]) => `<input type="hidden" name="${name}" value="${value}">`).join('');
    const form = `<form method="post" action="${provider.issuer}/oauth/authorize">${inputs}<button>Go</button></form>`;
    await page.route('http://site.localhost/', (route) => route.fulfill({ contentType: 'text/html', body: form }));
    await page.goto('http://site.localhost/');
    await page.getByRole('button', { name: 'Go' }).click();
    await page.waitForURL('**/jwks.json?code=*&state=posted*');
    expect(provider.requests.filter(({ method }) => method === 'POST').at(-1)).toMatchObject({
      path: '/oauth/authorize',
      cookies: [],
      status: 303,
    });
  }),
);

test('a login form that was submitted in another tab links to the next page', () =>
  visit(browser, async ({ page, newTab, expectStatus }) => {
    expectStatus('403 /oauth/login');
    await page.goto(authorizeURL());
    const copy = await newTab();
    const interaction = await page.locator('[name=interaction]').first().inputValue();
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
  const context = await newProfile(browser);
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

// The browser ignores that the authority is unknown. The test shows that it accepts the certificate in all other respects.
test('a browser signs in over TLS, and is signed in there the next time', async () => {
  const overTLS = await startMockProvider({ https: true });
  const signIn = async ({ page }: Visit) => {
    const response = await page.goto(authorizeURL({}, overTLS));
    const { issuer, protocol } = (await response?.securityDetails()) ?? {};
    expect([issuer, protocol]).toEqual(['passport-clinician mock provider (localhost only)', 'TLS 1.3']);
    await logInAs(page, 'verified');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL('**/jwks.json?code=*');
    await page.goto(authorizeURL({ prompt: 'none' }, overTLS));
    expect(new URL(page.url()).searchParams.has('code')).toBe(true);
    const cookies = await page.context().cookies(`${overTLS.issuer}/oauth/authorize`);
    expect(cookies.length).toBeGreaterThan(0);
    for (const { secure, sameSite } of cookies) expect([secure, sameSite]).toEqual([true, 'None']);
  };
  try {
    await visit(browser, signIn, { ignoreHTTPSErrors: true });
  } finally {
    await overTLS.stop();
  }
});
