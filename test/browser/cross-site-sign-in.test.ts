import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type LoginPath, siteOf } from '../integration/login-paths.js';
import { launch, visit } from './harness.js';
import { logInAs } from './pages.js';

let browser: Browser;
let provider: MockProvider;
beforeAll(async () => {
  browser = await launch();
  // Not the host of the site: a browser compares hosts, not ports.
  provider = await startMockProvider({ port: 0, apiPort: 0, host: 'localhost' });
});
afterEach(() => provider.reset());
afterAll(async () => {
  await browser.close();
  await provider.stop();
});

async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port };
}

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
  const [own, other] = [await listen(), await listen()];
  const site = `http://127.0.0.1:${own.port}`;
  const changes: unknown[] = [];
  const { app, clinician } = siteOf(provider, path, {
    callbackURL: `${site}/auth/callback`,
    session: { cookie: { sameSite } },
  });
  app.get('/favicon.ico', (_req, res) => void res.status(204).end());
  app.get(
    '/change',
    (req, _res, next) => {
      changes.push(req.headers['sec-fetch-site']);
      next();
    },
    clinician.requireSameOrigin(),
    (_req, res) => void res.send('<h1>Changed</h1>'),
  );
  own.server.on('request', app as RequestListener);
  other.server.on('request', (req, res) => {
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
        await page.goto(`http://other.localhost:${other.port}/?by=${by}&path=${encodeURIComponent(target)}`);
        const opened = by === 'window' ? page.waitForEvent('popup') : Promise.resolve(page);
        await page.getByText('Win').click();
        return await opened;
      },
    });
  } finally {
    for (const { server } of [own, other]) {
      server.close();
      server.closeAllConnections();
    }
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
  test.each([
    { mode: 'a SameSite=Strict session', user: 'a signed-in user', sameSite: 'strict' },
    { mode: 'a SameSite=Strict session', user: 'a signed-out user', sameSite: 'strict' },
  ] as const)('sends no request as a page of the site before a click: $mode, $user', ({ sameSite, user }) =>
    withSites(path, sameSite, ({ site, changes, follow }) =>
      visit(browser, async ({ page, expectStatus }) => {
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

  test('signs in without a page by redirects, which the browser marks as cross-site to the end', () =>
    withSites(path, 'lax', ({ site, changes, follow }) =>
      visit(browser, async ({ page, expectStatus }) => {
        expectStatus('403 /change');
        const requested: string[] = [];
        page.on('request', (request) => {
          if (request.isNavigationRequest()) requested.push(new URL(request.url()).pathname);
        });
        await follow(page, '/auth/login?returnTo=%2Fchange');
        await logInAs(page, 'verified');
        await page.getByRole('button', { name: /approve/i }).click();
        expect(await headingOf(page)).toBe('Request denied');
        await signOut(page);
        requested.length = 0;
        await follow(page, '/auth/login?returnTo=%2Fchange');
        await page.waitForURL(`${site}/change`);
        expect(requested).toEqual(['/', '/auth/login', '/oauth/authorize', '/auth/callback', '/change']);
        expect(changes).toEqual(['cross-site', 'cross-site']);
      }),
    ));

  test.each([
    ['lax', 'link', 'kept'],
    ['lax', 'window', 'kept'],
    ['lax', 'form', 'refused'],
    ['strict', 'link', 'a click'],
    ['strict', 'window', 'a click'],
    ['strict', 'form', 'refused'],
  ] as const)('with a SameSite=%s session, a %s for a signed-in user: %s', (sameSite, by, outcome) =>
    withSites(path, sameSite, ({ site, follow }) =>
      visit(browser, async ({ page, expectStatus }) => {
        expectStatus('400 /oauth/resume');
        const status = path === 'drop-in' ? 405 : 401;
        await signIn(page, site);
        const start = path === 'drop-in' ? '/auth/login?returnTo=/me' : '/start';
        if (outcome === 'refused') {
          // For a response without a body, Chromium may report the page before.
          expectStatus(`${status} ${new URL(start, site).pathname}`, `${status} /`);
          const posted = page.waitForResponse((response) => response.request().method() === 'POST');
          await follow(page, start, by);
          expect((await posted).status()).toBe(status);
          return;
        }
        const shown = await follow(page, start, by);
        if (outcome === 'kept') await shown.waitForURL(`${site}/me`);
        else expect(await headingOf(shown)).toBe('Sign in to this site?');
      }),
    ),
  );
});
