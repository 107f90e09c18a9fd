import { describe, expect, test } from '@jest/globals';
import helmet from 'helmet';
import type { Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { siteFor } from '../integration/site.js';
import { listen, visit } from './harness.js';
import { approving, expectHeading, logInAs, userOf } from './pages.js';

/** The headers of helmet, with its policy unchanged: `form-action 'self'`. */
const ownHelmet = helmet({ contentSecurityPolicy: { directives: { 'upgrade-insecure-requests': null } } });

interface AccountVisit {
  page: Page;
  account: string;
  provider: MockProvider;
}

/**
 * Visits a page with a sign-in and a sign-out.
 * @param isOldBrowser true for a browser that sends no `Sec-Fetch-Site`, and a site with the options of `clinician.helmet()`
 */
async function visitAccount(run: (visit: AccountVisit) => Promise<void>, isOldBrowser = false): Promise<void> {
  const provider = await startMockProvider({ port: 0, apiPort: 0 });
  const { origin, stop } = await listen((site) => {
    const callbackURL = `${site}/auth/callback`;
    const { app, clinician } = siteFor(provider, { callbackURL }, isOldBrowser ? undefined : ownHelmet);
    const links = `${clinician.signInButton({ returnTo: '/account' })}<a href="/auth/logout">Leave</a>`;
    app.get('/account', (_req, res) => {
      res.send(`<!doctype html><title>Account</title>${links}${clinician.signOutButton()}`);
    });
    return (req, res) => {
      const removed = Object.keys(req.headers).filter((name) => isOldBrowser && name.startsWith('sec-'));
      for (const name of removed) delete req.headers[name];
      app(req, res);
    };
  });
  try {
    await visit(async ({ page }) => {
      await page.route('**/favicon.ico', (route) => route.fulfill({ status: 204 }));
      await userOf(page).visit(`${origin}/auth/login`, approving('verified'));
      await page.goto(`${origin}/account`);
      await run({ page, account: `${origin}/account`, provider });
    });
  } finally {
    stop();
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
  visitAccount(signOutTwice));

test('with clinician.helmet(), a browser that sends no Sec-Fetch-Site signs out by both, because it sends its Origin', () =>
  visitAccount(signOutTwice, true));

describe('a script of the site that signs out', () => {
  const signOut = `fetch('/auth/logout', { method: 'POST' }).then((response) => response.json())`;

  test('sends the window to the path that it receives, and the service signs the user out', () =>
    visitAccount(async ({ page }) => {
      await page.evaluate(`${signOut}.then(({ url }) => location.assign(url))`);
      await page.getByText('of this site and of the sign-in service').waitFor();
    }));

  test('cannot read the ID Token: not with a request, and not in a window that it opens', () =>
    visitAccount(async ({ page, provider }) => {
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
