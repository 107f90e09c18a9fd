import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import helmet from 'helmet';
import type { Browser, Page } from 'playwright-core';
import type { ClinicianLoginOptions } from '../../lib/index.js';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { siteFor } from '../integration/site.js';
import { EACH_ONCE, launch, type Servers, startServers, visit } from './harness.js';
import { expectHeading, logInAs, signInAs, signInByRequests } from './pages.js';

let browser: Browser;

beforeAll(async () => {
  browser = await launch();
});
afterAll(() => browser.close());

describe.each(EACH_ONCE)('by $signInBy, in the $flow flow', ({ signInBy, flow }) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers({ signInBy, flow });
  });
  afterEach(() => servers.provider.reset());
  afterAll(() => servers.stop());

  test('a sign-out returns to the site, and reports whether the session at the service has ended', () =>
    visit(browser, async ({ page }) => {
      await signInByRequests(page, servers.site, 'verified');
      await page.goto(`${servers.site}/account`);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await expectHeading(page, 'You are signed out');
      if (flow === 'profile') {
        await page.getByText('You are still signed in at the sign-in service').waitFor();
        return;
      }
      await page.getByText('of this site and of the sign-in service').waitFor();
      await page.goto(`${servers.site}/notes`);
      expect(page.url()).toMatch(servers.provider.issuer);
      await page.getByLabel('User name').waitFor();
    }));

  test('Erase my data ends the sessions in other browsers', () =>
    visit(browser, async ({ page }) => {
      await signInByRequests(page, servers.site, 'verified');
      await visit(browser, async ({ page: phone, expectStatus }) => {
        expectStatus('401 /api/me');
        await signInByRequests(phone, servers.site, 'verified');
        await phone.goto(servers.site);
        await page.goto(`${servers.site}/account`);
        await page.getByRole('button', { name: 'Erase my data' }).click();
        await expectHeading(page, 'You are signed out');
        expect(await phone.evaluate(`fetch('/api/me').then(({ status }) => status)`)).toBe(401);
      });
    }));
});

/** The headers of helmet, with its policy unchanged: `form-action 'self'`. */
const ownHelmet = helmet({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } });

interface AccountVisit {
  page: Page;
  account: string;
  visited: string[];
  provider: MockProvider;
}

/**
 * Visits a page with a sign-in and a sign-out.
 * @param isOldBrowser true for a browser that sends no `Sec-Fetch-Site`, and a site with the options of `clinician.helmet()`
 */
async function visitAccount(
  options: Partial<ClinicianLoginOptions>,
  run: (visit: AccountVisit) => Promise<void>,
  isOldBrowser = false,
): Promise<void> {
  const provider = await startMockProvider({ port: 0, apiPort: 0 });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { app, clinician } = siteFor(
    provider,
    { callbackURL: `${origin}/auth/callback`, ...options },
    isOldBrowser ? undefined : ownHelmet,
  );
  app.get('/account', (_req, res) => {
    const link = '<a href="/auth/logout">Leave</a>';
    res.send(
      `<!doctype html><title>Account</title>${clinician.signInButton({ returnTo: '/account' })}${clinician.signOutButton()}${link}`,
    );
  });
  server.on('request', (req, res) => {
    for (const name of Object.keys(req.headers)) if (isOldBrowser && name.startsWith('sec-')) delete req.headers[name];
    app(req, res);
  });
  try {
    await visit(browser, async ({ page }) => {
      const visited: string[] = [];
      page.on('request', (request) => visited.push(request.url()));
      await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
      await page.goto(`${origin}/account`);
      await signInAs(page, 'verified');
      await run({ page, account: `${origin}/account`, visited, provider });
    });
  } finally {
    server.close();
    server.closeAllConnections();
    await provider.stop();
  }
}

/** Signs out by the button, and by the page that asks. */
async function signOutTwice({ page, account }: AccountVisit): Promise<void> {
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('of this site and of the sign-in service').waitFor();

  await page.goto(account);
  await page.getByRole('link', { name: 'Sign in as a clinician' }).click();
  await logInAs(page, 'verified');
  await page.getByRole('link', { name: 'Leave' }).click();
  await expectHeading(page, 'Sign out?');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expectHeading(page, 'You are signed out');
  await page.getByText('of this site and of the sign-in service').waitFor();
}

test("under the form-action 'self' of helmet, the button and the page that asks sign out at the service too", () =>
  visitAccount({}, signOutTwice));

test('with clinician.helmet(), a browser that sends no Sec-Fetch-Site signs out by both, because it sends its Origin', () =>
  visitAccount({}, signOutTwice, true));

describe('a script of the site that signs out', () => {
  const signOut = `fetch('/auth/logout', { method: 'POST' }).then((response) => response.json())`;

  test('sends the window to the path that it receives, and the service signs the user out', () =>
    visitAccount({}, async ({ page }) => {
      await page.evaluate(`${signOut}.then(({ url }) => location.assign(url))`);
      await page.getByText('of this site and of the sign-in service').waitFor();
    }));

  test('cannot read the ID Token: not with a request, and not in a window that it opens', () =>
    visitAccount({}, async ({ page, provider }) => {
      const { url } = (await page.evaluate(signOut)) as { url: string };
      const requests = `Promise.all(['follow', 'manual'].map((redirect) =>
        fetch('${url}', { redirect }).then(async (response) => response.url + (await response.text()), String)))`;
      expect(String(await page.evaluate(requests))).not.toMatch(/eyJ|oauth/);
      // The window requests the service after the page of this site, whose document the script watches meanwhile.
      const opened = page.context().waitForEvent('page');
      await page.evaluate(`(() => {
        window.seen = [];
        const opened = window.open('${url}');
        const look = () => {
          try {
            window.seen.push(opened.location.href + opened.document.documentElement.outerHTML);
          } catch (error) {
            window.seen.push(error.name);
          }
        };
        window.watch = setInterval(look, 1);
      })()`);
      const popup = await opened;
      await popup.getByText('of this site and of the sign-in service').waitFor();
      const seen = (await page.evaluate('window.seen')) as string[];
      expect(seen.length).toBeGreaterThan(0);
      expect(seen.filter((text) => /eyJ|id_token_hint/.test(text))).toEqual([]);
      expect(provider.requests.filter(({ path }) => path === '/oauth/logout')).toHaveLength(1);
    }));
});
