import type { RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type LoginPath, siteOf } from '../integration/login-paths.js';
import { listen, visit, withServers } from './harness.js';
import { approve, expectHeading, logInAs, signInByRequests } from './pages.js';

let provider: MockProvider;
beforeAll(async () => {
  // Not the host of the site: a browser compares hosts, not ports.
  provider = await startMockProvider({ port: 0, apiPort: 0, host: 'localhost' });
});
afterEach(() => provider.reset());
afterAll(() => provider.stop());

interface Sites {
  /** The origin of the site. */
  site: string;
  /** What the site has received for `/change`, which only its own pages may request: `Sec-Fetch-Site`. */
  changes: unknown[];
  /** Opens a page of another site, which leads to a path of the site. @returns the page that shows it */
  follow(page: Page, path: string, by?: 'link' | 'window' | 'form'): Promise<Page>;
}

/** A site, and another site, each on its own host. */
async function withSites(
  path: LoginPath,
  sameSite: 'lax' | 'strict',
  run: (sites: Sites) => Promise<void>,
): Promise<void> {
  const changes: unknown[] = [];
  const own = await listen((site) => {
    const callbackURL = `${site}/auth/callback`;
    const { app, clinician } = siteOf(provider, path, { callbackURL, session: { cookie: { sameSite } } });
    app.get('/favicon.ico', (_req, res) => void res.status(204).end());
    app.use('/change', (req, _res, next) => {
      changes.push(req.headers['sec-fetch-site']);
      next();
    });
    app.get('/change', clinician.requireSameOrigin(), (_req, res) => void res.send('<h1>Changed</h1>'));
    return app as RequestListener;
  });
  const site = own.origin;
  const other = await listen(() => (req, res) => {
    const { searchParams } = new URL(req.url ?? '', site);
    res.setHeader('Content-Type', 'text/html');
    const target = site + searchParams.get('path')?.replaceAll('&', '&amp;');
    const starts = {
      link: `<a href="${target}">Win</a>`,
      window: `<a href="${target}" target="_blank" rel="opener">Win</a>`,
      form: `<form method="post" action="${target}"><button>Win</button></form>`,
    };
    res.end(`<link rel="icon" href="data:,">${starts[(searchParams.get('by') ?? 'link') as keyof typeof starts]}`);
  });
  try {
    await run({
      site,
      changes,
      async follow(page, target, by = 'link') {
        await page.goto(
          `http://other.localhost:${new URL(other.origin).port}/?by=${by}&path=${encodeURIComponent(target)}`,
        );
        const opened = by === 'window' ? page.waitForEvent('popup') : Promise.resolve(page);
        await page.getByText('Win').click();
        return await opened;
      },
    });
  } finally {
    own.stop();
    other.stop();
  }
}

/** Signs in with the pages of the service, so that the user has a session and has approved there. */
async function signIn(page: Page, site: string): Promise<void> {
  await page.goto(`${site}/auth/login?returnTo=%2Fme`);
  await logInAs(page, 'verified');
  await page.getByRole('button', { name: /approve/i }).click();
  await page.waitForURL(`${site}/me`);
}

const signOut = (page: Page) => page.context().clearCookies({ domain: '127.0.0.1' });

/** Waits for a page that no other one follows by itself. @returns its heading */
async function headingOf(page: Page): Promise<string | null> {
  await page.getByRole('heading', { level: 1, name: /^(Sign in to this site\?|Changed|Request denied)/ }).waitFor();
  return await page.locator('h1').textContent();
}

describe.each(['drop-in', 'Passport first'] as const)('a link of another site to the login route, by %s', (path) => {
  test.each(['a signed-in user', 'a signed-out user'])(
    'with a SameSite=Strict session, sends no request as a page of the site before a click: %s',
    (user) =>
      withSites(path, 'strict', ({ site, changes, follow }) =>
        visit(async ({ page, expectStatus }) => {
          expectStatus('400 /oauth/resume'); // the provider's page can be submitted only once
          await signIn(page, site);
          if (user === 'a signed-out user') await signOut(page);
          await follow(page, '/auth/login?returnTo=%2Fchange');
          expect([await headingOf(page), changes]).toEqual(['Sign in to this site?', []]);
          await page.getByRole('link', { name: 'Continue' }).click();
          expect([await headingOf(page), changes]).toEqual(['Changed', ['same-origin']]);
        }),
      ),
  );
});

test('with a SameSite=Lax session, a link signs in by redirects, which the browser marks as cross-site to the end', () =>
  withSites('drop-in', 'lax', ({ site, changes, follow }) =>
    visit(async ({ page, expectStatus }) => {
      expectStatus('403 /change');
      const requested: string[] = [];
      page.on('request', (request) => {
        if (request.isNavigationRequest()) requested.push(new URL(request.url()).pathname);
      });
      await signIn(page, site);
      await signOut(page);
      requested.length = 0;
      await follow(page, '/auth/login?returnTo=%2Fchange');
      expect(await headingOf(page)).toBe('Request denied');
      expect(requested).toEqual(['/', '/auth/login', '/oauth/authorize', '/auth/callback', '/change']);
      expect(changes).toEqual(['cross-site']);
    }),
  ));

test.each([
  ['lax', 'window', 'kept'],
  ['lax', 'form', 'refused'],
  ['strict', 'window', 'a click'],
] as const)('with a SameSite=%s session, a %s of another site for a signed-in user: %s', (sameSite, by, outcome) =>
  withSites('drop-in', sameSite, ({ site, follow }) =>
    visit(async ({ page, expectStatus }) => {
      expectStatus('400 /oauth/resume');
      await signIn(page, site);
      if (outcome === 'refused') {
        // For a response without a body, Chromium may report the page before.
        expectStatus('405 /auth/login', '405 /');
        const posted = page.waitForResponse((response) => response.request().method() === 'POST');
        await follow(page, '/auth/login?returnTo=/me', by);
        expect((await posted).status()).toBe(405);
        return;
      }
      const shown = await follow(page, '/auth/login?returnTo=/me', by);
      if (outcome === 'kept') await shown.waitForURL(`${site}/me`);
      else expect(await headingOf(shown)).toBe('Sign in to this site?');
    }),
  ),
);

// Each way to sign in has its own start and callback: the page that repeats the callback must not end in a loop.
test.each(['passport', 'drop-in'] as const)('a SameSite=Strict session works on the site itself, by %s', (signInBy) =>
  withServers({ signInBy, sameSite: 'strict', providerHost: 'localhost' }, ({ site }) =>
    visit(async ({ page }) => {
      await page.goto(`${site}/notes`);
      await logInAs(page, 'verified');
      await approve(page);
      await expectHeading(page, 'Notes');
      const cookies = await page.context().cookies(site);
      expect(cookies.find(({ name }) => name === 'rounds.session')).toMatchObject({ sameSite: 'Strict' });

      // Again, with a session and a consent at the provider: no page would interrupt a redirect loop.
      await page.context().clearCookies({ name: 'rounds.session' });
      // The page that repeats the callback may leave before it has loaded.
      await page.goto(`${site}/notes`, { waitUntil: 'commit' });
      await expectHeading(page, 'Notes');
    }),
  ),
);

test('another user who is signed in at the service does not replace the user of the site', () =>
  withServers({ providerHost: 'localhost' }, ({ site, provider }) =>
    visit(async ({ page, expectStatus }) => {
      await signInByRequests(page, site, 'verified');
      const user = async () => (await page.request.get(`${site}/api/me`)).text();
      const before = await user();
      await page.goto(`${provider.issuer}/`);
      await page.context().clearCookies({ domain: 'localhost' });
      expectStatus('403 /auth/callback');
      await page.evaluate(`location.href = '${site}/auth/login?prompt=login&returnTo=%2Faccount'`);
      await logInAs(page, 'connected');
      await approve(page);
      await page.getByText('To sign in as another user, sign out first.').first().waitFor();
      expect(await user()).toBe(before);
    }),
  ));
