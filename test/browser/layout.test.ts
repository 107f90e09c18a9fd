import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { BrowserContext, Page } from 'playwright-core';
import { ClinicianError, type ErrorDetails, type Remedy } from '../../lib/errors/errors.js';
import { errorPage } from '../../lib/html/error-pages.js';
import type { Page as OwnPage } from '../../lib/html/page.js';
import { continuePage, endSessionPage, loggedOutPage } from '../../lib/html/pages.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { LOOK } from '../html/every-page.js';
import { authorizeURL, codeOf, redeem, tokensOf } from '../mock-provider/wire.js';
import { addChecks, pageProblems } from './accessibility.js';
import { newProfile, type Servers, startServers } from './harness.js';
import { expectHeading, signInByRequests, userOf } from './pages.js';

// The layout, the contrast and the keyboard of each kind of page, on a phone and on a screen, each in another color scheme.

/** All tests of a server use one page: another window size is faster than another page. */
let context: BrowserContext;
let page: Page;
/** The errors and warnings of this page, without the status codes that the error pages have. */
const messages: string[] = [];

beforeAll(async () => {
  context = await newProfile();
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || /responded with a status of/.test(message.text())) return;
    if (message.page() === page) messages.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => error.page() === page && messages.push(String(error.error())));
  await openPage();
});

async function openPage(): Promise<void> {
  page = await context.newPage();
  messages.length = 0;
  await addChecks(page);
}

/** Closes the page before its server stops, which would refuse what the page still requests, and opens another. */
async function leave(server: { stop(): Promise<unknown> }): Promise<void> {
  await page.close();
  await server.stop();
  await openPage();
}

async function expectNoProblems(name: string): Promise<void> {
  expect(messages.splice(0)).toEqual([]);
  const shoot = async (setting: string) => {
    const path = `test-artifacts/layout/${name} ${setting}.png`.replaceAll(/[ ,]+/g, '-');
    await page.screenshot({ path, fullPage: true });
  };
  expect(await pageProblems(page, process.env.SCREENSHOTS ? shoot : undefined)).toEqual({});
}

type Pages = Record<string, [heading: string, open: () => Promise<unknown>]>;

function testEach(group: string, pages: Pages): void {
  test.each(Object.entries(pages))(`%s`, async (name, [heading, open]) => {
    await open();
    await expectHeading(page, heading);
    await expectNoProblems(`${group} ${name}`);
  });
}

test('a page with mistakes is reported', async () => {
  const mistakes = `<!doctype html><html lang="en"><title>A page</title><main><h1>Mistakes</h1>
    <p style="width: 2000px; color: #999">Pale text</p>
    <header style="position: relative"><a href="/a">Overlap</a><a href="/b" style="position: absolute; left: 9px">Overlap</a></header>
    <button style="width: 30px; outline: none; white-space: nowrap; overflow: hidden">A long label</button>
    <input aria-label="Name" style="border: 1px solid #eee"></main>`;
  await page.goto(`data:text/html,${encodeURIComponent(mistakes)}`);
  const problems = await pageProblems(page);
  const kinds = ['tooWide', 'cutOff', 'overlaps', 'paleBorders', 'tooSmall', 'axe'];
  expect(Object.keys(problems)).toEqual(expect.arrayContaining(kinds.map((kind) => `360 light: ${kind}`)));
  expect(problems['keyboard: order']).toEqual([expect.stringMatching(/^no visible focus: <button/)]);
});

describe('the reference site', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
    await context.clearCookies();
  });
  afterAll(() => leave(servers));
  const go = (path: string) => page.goto(servers.site + path);
  const as = (username: string, path: string) => async () => {
    await context.clearCookies();
    await signInByRequests(page, servers.site, username);
    await go(path);
  };

  testEach('site', {
    home: ['Notes from the ward, for clinicians only', () => go('/')],
    'not found': ['Page not found', () => go('/missing')],
    'signed-in home': ['Welcome, Vera Castellanos, MD', as('verified', '/')],
    notes: ['Notes', () => go('/notes')],
    colleagues: ['Colleagues', () => go('/colleagues')],
    share: ['Share', () => go('/share')],
    account: [
      'Account',
      async () => {
        await go('/account');
        await page.getByRole('button', { name: 'Refresh now' }).click();
        await page.getByRole('status').waitFor();
      },
    ],
    'hostile profile': ['\u202E</script><svg onload=alert(1)>, MD', as('hostile', '/profile')],
    'pending verification': ['Your verification is in progress', as('pending', '/notes')],
  });
});

describe("this package's pages", () => {
  const HOST = 'https://site.example';
  const LONG = 'A-very-long-name-without-a-space-'.repeat(5);
  const failed = (
    remedy: Remedy,
    code: ErrorDetails['code'],
    { isDevelopment = false, ...more }: Partial<ErrorDetails> & { isDevelopment?: boolean } = {},
  ) => {
    const error = new ClinicianError(LONG, { remedy, code, status: 400, retryAt: 0, ...more });
    return errorPage(LOOK, error, { kind: 'request', signIn: '/auth/login', returnTo: '/', isDevelopment });
  };
  const signedOut = { signIn: '/auth/login', service: 'login.service.example', sessionAtService: 'continues' } as const;
  const link = { label: 'Read our rules', url: 'https://rules.example/' };
  const end = { url: 'https://service.example/logout', fields: { a: 'b' }, origins: ['https://service.example'] };

  const documents: Record<string, OwnPage> = {
    'for developers': failed('retry', 'rate_limited', { isDevelopment: true }),
    'rate limited': failed('retry', 'rate_limited'),
    denied: failed('tell_user', 'sign_in_refused', { link }),
    continue: continuePage(LOOK, '/auth/done', true),
    'signed out only here': loggedOutPage({ ...LOOK, siteName: LONG }, signedOut),
    'end session': endSessionPage(LOOK, end),
  };
  const names = Object.keys(documents);

  beforeAll(async () => {
    const css = readFileSync('lib/html/browser/styles.css', 'utf8');
    await context.route(`${HOST}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === LOOK.stylesheet) return route.fulfill({ contentType: 'text/css', body: css });
      // The page that continues at once would leave.
      const { html = '' } = documents[names[Number(pathname.slice(1))] ?? ''] ?? {};
      const body = html.replace(/<meta http-equiv.*>|<script>[\s\S]*<\/script>/g, '');
      return route.fulfill({ contentType: 'text/html', body });
    });
  });

  test.each(names)('%s', async (name) => {
    await page.goto(`${HOST}/${names.indexOf(name)}`);
    await expectNoProblems(`package ${name}`);
  });
});

describe("the mock provider's pages", () => {
  let provider: MockProvider;
  beforeAll(async () => {
    provider = await startMockProvider({ verification: 'queued' });
  });
  afterAll(() => leave(provider));

  const authorize = (more: Record<string, string> = {}) => {
    // A document of the provider, so that no site is needed.
    const redirect_uri = `${provider.issuer}/.well-known/jwks.json`;
    return authorizeURL(provider, provider.clients.openid, { redirect_uri, scope: 'openid basic email', ...more });
  };
  const go = async (url: string) => {
    await context.clearCookies();
    await page.goto(new URL(url, provider.issuer).href);
  };
  const signIn = async (url: string, username = 'verified') => {
    await context.clearCookies();
    await userOf(page).visit(new URL(url, provider.issuer).href, { username, password: 'clinician' });
    await page.goto(new URL(url, provider.issuer).href);
  };
  const submit = async (fields: Record<string, string>, button: string) => {
    for (const [label, value] of Object.entries(fields)) await page.getByLabel(label).fill(value);
    await page
      .locator('form')
      .last()
      .evaluate((form) => Object.assign(form, { noValidate: true }));
    await page.getByRole('button', { name: button, exact: true }).click();
  };
  const shared = '/inbox/conversations/new_message?url=https://clinic.example/a&subject=A';

  testEach('provider', {
    'wrong password': [
      'Sign in',
      async () => {
        await go(authorize());
        await submit({ 'User name': 'verified', Password: 'wrong' }, 'Sign in');
        await page.locator('.alert').waitFor();
      },
    ],
    'login in a popup': ['Sign in', () => go(authorize({ display: 'popup' }))],
    'invalid registration': [
      'Create your account',
      async () => {
        await go(authorize({ prompt: 'create' }));
        await submit({ NPI: '1000000005', Password: 'short' }, 'Create account');
        await page.locator('.alert').waitFor();
      },
    ],
    verify: [
      'Verify that you are a clinician',
      () => go(authorizeURL(provider, provider.clients.profile, { scope: 'basic', type: 'verify' })),
    ],
    error: ['Invalid request', () => go('/oauth/authorize?client_id=unknown')],
    logout: ['You are not signed in', () => go('/oauth/logout')],
    'invalid message': [
      'New message',
      async () => {
        await signIn(shared);
        await submit({}, 'Send');
        await page.locator('.alert').waitFor();
      },
    ],
    inbox: ['Your inbox', () => submit({ To: 'connected', Message: 'Short and in order' }, 'Send')],
  });

  test('hostile consent', async () => {
    await signIn(authorize(), 'hostile');
    await expectHeading(page, 'My site asks for your approval');
    await expectNoProblems('provider hostile consent');
  });
});

test('the inspector, with the values of a login', async () => {
  const provider = await startMockProvider();
  const { openid } = provider.clients;
  await tokensOf(provider, openid, { scope: 'openid basic' });
  await redeem(provider, openid, await codeOf(provider, openid, { as: 'pending' }), { code_verifier: undefined });
  await redeem(provider, openid, 'an unknown code');
  await page.goto(`${provider.issuer}/#login-1`);
  await page.getByRole('article', { name: 'Login 1' }).waitFor();
  await page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);
  await page.getByRole('button', { name: 'Show id_token in' }).first().click();
  await page.getByRole('button', { name: 'Hide id_token in' }).first().waitFor();
  await page.evaluate('scrollTo(0, 0)');
  await expectNoProblems('inspector');
  await leave(provider);
});
