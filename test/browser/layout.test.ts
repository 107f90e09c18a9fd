import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { ClinicianError, type ErrorDetails, type Remedy } from '../../lib/errors/errors.js';
import { errorPage } from '../../lib/html/error-pages.js';
import type { Page as OwnPage } from '../../lib/html/page.js';
import {
  continuePage,
  endSessionPage,
  loggedOutPage,
  serviceLogoutPage,
  signedInAlreadyPage,
  signOutPage,
} from '../../lib/html/pages.js';
import { type MockProvider, type RegisteredClient, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { LOOK } from '../html/every-page.js';
import { authorizeURL, codeOf, redeem, registerStrict, tokensOf } from '../mock-provider/wire.js';
import { addChecks, pageProblems } from './accessibility.js';
import { launch, newProfile, type Servers, startServers, withServers } from './harness.js';
import { deny, expectHeading, logInAs, signInByRequests, userOf } from './pages.js';

/** All tests of a server use one page: another window size is faster than another page. */
let browser: Browser;
let context: BrowserContext;
let page: Page;
/** The errors and warnings of this page, without the status codes that the error pages have. */
const messages: string[] = [];

beforeAll(async () => {
  browser = await launch();
  context = await newProfile(browser);
  context.on('console', (message) => {
    if (!['error', 'warning'].includes(message.type()) || /responded with a status of/.test(message.text())) return;
    if (message.page() === page) messages.push(`${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => error.page() === page && messages.push(String(error.error())));
  await openPage();
});
afterAll(() => browser.close());

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
    <p style="display: flex; overflow-wrap: anywhere"><code style="width: 60px">/auth/callback</code></p>
    <div><button style="width: 90px; display: block">Button</button><p style="margin: 2px">Too close</p></div>
    <div><button style="display: block">First row</button></div><div><button>Second row</button></div>
    <button style="width: 30px; outline: none; white-space: nowrap; overflow: hidden">A long label</button>
    <input aria-label="Name" style="border: 1px solid #eee"></main>`;
  await page.goto(`data:text/html,${encodeURIComponent(mistakes)}`);
  const problems = await pageProblems(page);
  const kinds = ['tooWide', 'cutOff', 'broken', 'overlaps', 'crowded', 'paleBorders', 'tooSmall', 'axe'];
  expect(Object.keys(problems)).toEqual(expect.arrayContaining(kinds.map((kind) => `360 light: ${kind}`)));
  expect(problems['keyboard: order']).toEqual([expect.stringMatching(/^no visible focus: <button/)]);
});

describe.each(['passport', 'drop-in'] as const)('the sign-in of the reference site by %s', (signInBy) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ signInBy });
    await context.clearCookies();
  });
  afterAll(() => leave(servers));

  testEach(signInBy, {
    'denied sign-in': [
      signInBy === 'passport' ? 'You are not signed in' : 'The sign-in was not completed',
      async () => {
        await page.goto(`${servers.site}/notes`);
        await logInAs(page, 'verified');
        await deny(page);
      },
    ],
    'failed sign-in': [
      signInBy === 'passport' ? 'You are not signed in' : 'Please sign in again',
      () => page.goto(`${servers.site}/auth/callback?code=unknown&state=unknown`),
    ],
  });
});

describe('the reference site', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
    await context.clearCookies();
  });
  afterAll(() => leave(servers));
  const go = (path: string) => page.goto(servers.site + path);
  const signIn = async (username: string) => {
    await context.clearCookies();
    await signInByRequests(page, servers.site, username);
  };

  testEach('site', {
    home: ['Notes from the ward, for clinicians only', () => go('/')],
    'not found': ['Page not found', () => go('/missing')],
    'signed-in home': [
      'Welcome, Vera Castellanos, MD',
      async () => {
        await signIn('verified');
        await go('/');
      },
    ],
    notes: ['Notes', () => go('/notes')],
    profile: ['Vera Castellanos, MD', () => go('/profile')],
    colleagues: ['Colleagues', () => go('/colleagues')],
    share: ['Share', () => go('/share')],
    account: ['Account', () => go('/account')],
    'refreshed account': [
      'Account',
      async () => {
        await go('/account');
        await page.getByRole('button', { name: 'Refresh now' }).click();
        await page.getByRole('status').waitFor();
      },
    ],
    'hostile profile': [
      '\u202E</script><svg onload=alert(1)>, MD',
      async () => {
        await signIn('hostile');
        await go('/profile');
      },
    ],
    'minimal profile': [
      'Mo Li',
      async () => {
        await signIn('minimal');
        await go('/profile');
      },
    ],
    'pending verification': [
      'Your verification is in progress',
      async () => {
        await signIn('pending');
        await go('/notes');
      },
    ],
    'signed out': [
      'You are signed out',
      async () => {
        await go('/account');
        await page.getByRole('button', { name: 'Sign out' }).click();
        await page.waitForURL(`${servers.site}/**`);
      },
    ],
  });

  test('the header is the same on every page of a phone', async () => {
    await signIn('verified');
    await page.setViewportSize({ width: 390, height: 800 });
    const headerOn = async (path: string) => {
      await go(path);
      return page.evaluate(`[...document.querySelectorAll('body > header a, body > header button')]
        .map((item) => item.getBoundingClientRect()).map(({ x, y, width, height }) => [x, y, width, height])`);
    };
    const first = await headerOn('/');
    for (const path of ['/notes', '/profile', '/account']) expect(await headerOn(path)).toEqual(first);
  });
});

test('the other pages of the reference site are the same by passport as by drop-in', async () => {
  const pathsOf = {
    verified: ['/', '/notes', '/profile', '/colleagues', '/share', '/account'],
    hostile: ['/profile'],
    minimal: ['/profile'],
    pending: ['/notes'],
  };
  const pagesBy = async (signInBy: 'passport' | 'drop-in') => {
    const texts: Record<string, string> = {};
    await withServers({ signInBy }, async ({ site }) => {
      const get = async (path: string) => {
        const text = await (await page.request.get(site + path, { headers: { accept: 'text/html' } })).text();
        return text.replaceAll(/(?<=127\.0\.0\.1(?::|%3A))\d+|<time [^>]+>[^<]+/g, '');
      };
      await context.clearCookies();
      for (const path of ['/', '/missing']) texts[path] = await get(path);
      for (const [username, paths] of Object.entries(pathsOf)) {
        await context.clearCookies();
        await signInByRequests(page, site, username);
        for (const path of paths) texts[`${path} as ${username}`] = await get(path);
      }
    });
    return texts;
  };
  expect(await pagesBy('passport')).toEqual(await pagesBy('drop-in'));
});

describe('the reference site without a scope', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ scope: ['openid'] });
    await context.clearCookies();
    await signInByRequests(page, servers.site, 'verified');
  });
  afterAll(() => leave(servers));

  testEach('site', {
    'missing scope': [
      'This page needs a scope that this site does not request',
      () => page.goto(`${servers.site}/colleagues`),
    ],
  });
});

describe("this package's pages", () => {
  const HOST = 'https://site.example';
  const LONG = 'A-very-long-name-without-a-space-'.repeat(5);
  const errorWith = (remedy: Remedy, code: ErrorDetails['code'], more: Partial<ErrorDetails> = {}) =>
    new ClinicianError(LONG, { remedy, code, status: 400, retryAt: 0, ...more });
  const failed = (error: ClinicianError, isDevelopment = false, kind: 'signIn' | 'request' = 'request') =>
    errorPage(LOOK, error, { kind, signIn: '/auth/login', returnTo: '/', isDevelopment });
  const ofSignIn = (error: ClinicianError) => failed(error, false, 'signIn');
  const signedOut = { signIn: '/auth/login', service: 'login.service.example' };
  const link = { label: 'Read our rules', url: 'https://rules.example/' };
  const end = { url: 'https://service.example/logout', fields: { a: 'b' }, origins: ['https://service.example'] };

  const documents: Record<string, OwnPage> = {
    'failed sign-in': ofSignIn(errorWith('sign_in', 'transaction_missing')),
    'service unavailable': ofSignIn(errorWith('retry', 'service_unavailable')),
    'wrong configuration': ofSignIn(errorWith('fix_code', 'option_invalid')),
    'for developers': failed(errorWith('fix_code', 'option_invalid'), true),
    'for developers, with another try': failed(errorWith('retry', 'rate_limited'), true),
    'rate limited': failed(errorWith('retry', 'rate_limited')),
    'scope missing': failed(errorWith('tell_user', 'scope_missing')),
    'ended by another user': ofSignIn(errorWith('sign_in', 'sign_in_required')),
    denied: ofSignIn(errorWith('tell_user', 'sign_in_refused', { link })),
    'signed in already': signedInAlreadyPage(LOOK),
    continue: continuePage(LOOK, '/auth/done', false),
    'sign-in of another site': continuePage(LOOK, '/auth/done', true),
    pending: failed(errorWith('tell_user', 'verification_pending')),
    'signed out': loggedOutPage(LOOK, { ...signedOut, sessionAtService: 'ended' }),
    'signed out only here': loggedOutPage({ ...LOOK, siteName: LONG }, { ...signedOut, sessionAtService: 'continues' }),
    'end session': endSessionPage(LOOK, end),
    'sign out': signOutPage(LOOK, '/auth/logout'),
    'signing out': serviceLogoutPage(LOOK, '/auth/end-session'),
  };
  const names = Object.keys(documents);

  beforeAll(async () => {
    const css = readFileSync('lib/html/browser/styles.css', 'utf8');
    await context.route(`${HOST}/**`, (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === LOOK.stylesheet) return route.fulfill({ contentType: 'text/css', body: css });
      // The page that continues at once would leave.
      const body = documents[names[Number(pathname.slice(1))] ?? '']?.html.replace(
        /<meta http-equiv.*>|<script>[\s\S]*<\/script>/g,
        '',
      );
      return route.fulfill({ contentType: 'text/html', body: body ?? '' });
    });
  });

  test.each(names)('%s', async (name) => {
    await page.goto(`${HOST}/${names.indexOf(name)}`);
    await expectNoProblems(`package ${name}`);
  });

  test('the button of a form looks like a link that is a button', async () => {
    const lookOf = async (name: string) => {
      await page.goto(`${HOST}/${names.indexOf(name)}`);
      return page.evaluate(`(({ color, backgroundColor, width }) => [color, backgroundColor, width])(
        getComputedStyle(document.querySelector('.clinician-button')))`);
    };
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await lookOf('end session')).toEqual(await lookOf('continue'));
  });
});

describe("the mock provider's pages", () => {
  let provider: MockProvider;
  let client: RegisteredClient;
  beforeAll(async () => {
    provider = await startMockProvider({ verification: 'queued' });
    // A document of the provider, so that no site is needed.
    const redirectURIs = [`${provider.issuer}/.well-known/jwks.json`];
    const scope = 'openid basic colleagues email';
    client = provider.registerClient({ name: 'Clinic Notes', flow: 'openid', scope, redirectURIs });
  });
  afterAll(() => leave(provider));

  const authorize = (more: Record<string, string> = {}) => {
    const [redirect_uri = ''] = client.redirectURIs;
    return authorizeURL(provider, client, { redirect_uri, scope: client.scope.join(' '), ...more });
  };
  const verify = () => authorizeURL(provider, provider.clients.profile, { scope: 'basic', type: 'verify' });
  const go = async (url: string) => {
    await context.clearCookies();
    await page.goto(new URL(url, provider.issuer).href);
  };
  const signIn = async (url: string, username = 'verified') => {
    await context.clearCookies();
    await userOf(page).visit(new URL(url, provider.issuer).href, { username, password: 'clinician' });
    await page.goto(new URL(url, provider.issuer).href);
  };
  const register = async (values: Record<string, string>) => {
    await go(authorize({ prompt: 'create' }));
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label).fill(value);
    await page.getByRole('button', { name: 'Create account' }).click();
  };
  const account = {
    'First name': 'Ann',
    'Last name': 'Lee',
    NPI: '1000000004',
    Credentials: 'MD',
    Specialty: 'Cardiology',
    'Email address': 'ann@clinic.example',
    Password: 'a long password',
  };
  const shared = '/inbox/conversations/new_message?url=https://clinic.example/a&subject=A';

  const CONSENT = 'Clinic Notes asks for your approval';
  testEach('provider', {
    login: ['Sign in', () => go(authorize())],
    'wrong password': [
      'Sign in',
      async () => {
        await go(authorize());
        await page.getByLabel('User name').fill('verified');
        await page.getByLabel('Password').fill('wrong');
        await page.getByRole('button', { name: 'Sign in' }).click();
        await page.locator('.alert').waitFor();
      },
    ],
    verify: ['Verify that you are a clinician', () => go(verify())],
    consent: [CONSENT, () => signIn(authorize())],
    'hostile consent': [CONSENT, () => signIn(authorize(), 'hostile')],
    'login in a popup': ['Sign in', () => go(authorize({ display: 'popup' }))],
    'consent in a popup': [CONSENT, () => signIn(authorize({ display: 'popup' }))],
    registration: ['Create your account', () => go(authorize({ prompt: 'create' }))],
    'invalid registration': [
      'Create your account',
      async () => {
        await register({ ...account, NPI: '1000000005', Password: 'short' });
        await page.locator('.alert').waitFor();
      },
    ],
    'verification queue': ['We are checking your details', () => register(account)],
    error: ['Invalid request', () => go('/oauth/authorize?client_id=unknown')],
    'used page': ['This page is no longer in use', () => go('/oauth/resume?interaction=gone')],
    logout: [
      'Sign out?',
      async () => {
        await signIn(shared);
        await page.goto(new URL('/oauth/logout', provider.issuer).href);
      },
    ],
    'logout, signed out': ['You are not signed in', () => go('/oauth/logout')],
    'new message': ['New message', () => signIn(shared)],
    'invalid message': [
      'New message',
      async () => {
        await signIn(shared);
        await page.locator('form').evaluate((form) => Object.assign(form, { noValidate: true }));
        await page.getByRole('button', { name: 'Send' }).click();
        await page.locator('.alert').waitFor();
      },
    ],
    inbox: [
      'Your inbox',
      async () => {
        await signIn(shared);
        await page.getByLabel('To').fill('connected');
        await page.getByLabel('Message').fill('Short and in order');
        await page.getByRole('button', { name: 'Send' }).click();
      },
    ],
  });
});

describe('the inspector', () => {
  let provider: MockProvider;
  beforeAll(async () => {
    provider = await startMockProvider();
  });
  afterAll(() => leave(provider));

  const open = async (fragment = '') => {
    await page.goto('about:blank'); // Another fragment of the same page loads nothing.
    await page.goto(`${provider.issuer}/${fragment}`);
    await page.getByText('Live', { exact: true }).waitFor();
  };
  const openDetails = () => page.evaluate(`for (const one of document.querySelectorAll('details')) one.open = true`);

  testEach('inspector', {
    empty: ['Inspector', () => open()],
    'with logins': [
      'Inspector',
      async () => {
        const { openid } = provider.clients;
        const { access_token } = await tokensOf(provider, openid, { scope: 'openid basic' });
        const headers = { authorization: `Bearer ${access_token}` };
        await provider.fetch(`${provider.issuer}/api/v1/users/current`, { headers });
        await redeem(provider, openid, await codeOf(provider, openid, { as: 'pending' }), { code_verifier: undefined });
        provider.faults.next('wrongNonce');
        await tokensOf(provider, openid, { as: 'minimal', nonce: 'n' });
        await redeem(provider, openid, 'an unknown code');
        provider.faults.next('badSignature');
        const strict = registerStrict(provider, 'openid', { clientID: 'strict-site' });
        await page.request.get(authorizeURL(provider, strict, { redirect_uri: 'http://127.0.0.1:5001/callbak' }));
        await open();
        await openDetails();
      },
    ],
    'with the values of a login': [
      'Inspector',
      async () => {
        await open('#login-1');
        await page.getByRole('article', { name: 'Login 1' }).waitFor();
        await openDetails();
        for (const name of ['id_token', 'Authorization']) {
          await page
            .getByRole('button', { name: `Show ${name} in` })
            .first()
            .click();
          await page
            .getByRole('button', { name: `Hide ${name} in` })
            .first()
            .waitFor();
        }
        await page.evaluate('scrollTo(0, 0)');
      },
    ],
  });
});
