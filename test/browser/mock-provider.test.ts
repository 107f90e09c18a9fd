import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { visit } from './harness.js';
import { expectHeading, logInAs, tabTo } from './pages.js';

let provider: MockProvider;

beforeAll(async () => {
  provider = await startMockProvider({ verification: 'queued' });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

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

test('an account can be created with the keyboard only: the list of errors has the focus and links to the fields', () =>
  visit(async ({ page, expectStatus }) => {
    expectStatus('400 /oauth/registration');
    await page.goto(authorizeURL({ prompt: 'create' }));
    await page.locator('#firstName:focus').waitFor();
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
    await page.getByRole('heading', { name: 'My site asks for your approval' }).waitFor();
    await tabTo(page, /Read your email address/);
    await page.keyboard.press('Space');
    await tabTo(page, /Approve/);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/jwks.json?code=*');
  }));

test('back and forward during a sign-in never submit a form twice, and the sign-in can be completed', () =>
  visit(async ({ page, expectStatus }) => {
    expectStatus('403 /oauth/login', '400 /oauth/resume');
    await page.goto(authorizeURL());
    await logInAs(page, 'verified');
    await page.getByRole('button', { name: 'Approve' }).waitFor();
    await page.reload();
    await page.goBack();
    await page.getByRole('button', { name: 'Approve' }).waitFor(); // the user is signed in, so the first address shows the consent page
    await page.goForward();
    await expectHeading(page, 'My site asks for your approval');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL('**/jwks.json?code=*');
    await page.goBack();
    await expectHeading(page, 'This page is no longer in use');
  }));

test('the form of another site finds the session of the user', () =>
  visit(async ({ page }) => {
    await page.goto(authorizeURL());
    await logInAs(page, 'verified');
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.waitForURL('**/jwks.json?code=*');
    const fields = [...new URL(authorizeURL({ state: 'posted' })).searchParams];
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
  }));

// The browser ignores that the authority is unknown. The test shows that it accepts the certificate in all other respects.
test('a browser signs in over TLS, and is signed in there the next time', async () => {
  const overTLS = await startMockProvider({ https: true });
  const signIn = async ({ page }: { page: Page }) => {
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
    await visit(signIn, { ignoreHTTPSErrors: true });
  } finally {
    await overTLS.stop();
  }
});
