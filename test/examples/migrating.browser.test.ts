import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import supertest from 'supertest';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { launch, visit } from '../browser/harness.js';
import { approve, deny, logInAs } from '../browser/pages.js';
import { freePort } from '../helpers/free-port.js';

/** The sites of docs/start/migrating.md. */
const SITES = ['from-express-openid-connect', 'from-passport'];

let browser: Browser;
let provider: MockProvider;
beforeAll(async () => {
  [browser, provider] = await Promise.all([launch(), startMockProvider()]);
});
afterAll(async () => {
  await browser.close();
  await provider.stop();
});

/** Runs a program of the documents in a separate process: jest cannot require the ES modules that some libraries require. */
async function start(site: string): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { clientID, clientSecret } = provider.registerClient({
    flow: 'openid',
    scope: 'openid basic',
    redirectURIs: [`${url}/callback`],
    postLogoutRedirectURIs: [site.includes('express') ? url : `${url}/auth/logged-out`],
  });
  const env = {
    PATH: process.env.PATH,
    PORT: String(port),
    APP_URL: url,
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_CLIENT_ID: clientID,
    CLINICIAN_CLIENT_SECRET: clientSecret,
    SESSION_SECRET: 'only-for-this-test-dH3-kq9ZtL0vW7xR2mYbN5sPcG8fJ4uE6aT1',
  };
  const child = spawn(process.execPath, [`test/examples/migrating/${site}.mjs`], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(createInterface({ input: child.stdout }), 'line');
  return { url, child };
}

const textOf = (page: Page) => page.locator('body').textContent();

describe.each(SITES)('%s', (name) => {
  let site: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    site = await start(name);
  });
  afterAll(async () => {
    const exit = once(site.child, 'exit');
    site.child.kill();
    await exit;
  });

  test('a verified clinician opens every page, and signs out', () =>
    visit(browser, async ({ page }) => {
      await page.goto(`${site.url}/account`);
      await logInAs(page, 'verified');
      await approve(page);
      expect(page.url()).toBe(`${site.url}/account`);
      expect(await textOf(page)).toMatch(/^Account [0-9a-f-]{36}$/);

      await page.goto(`${site.url}/notes`);
      await page.getByRole('button', { name: 'Add a note' }).click();
      await page.getByText('Note of').waitFor();
      await page.goto(`${site.url}/api/me`);
      expect(JSON.parse((await textOf(page)) ?? '')).toEqual({ name: 'Vera Castellanos, MD' });
      await page.goto(`${site.url}/admin`);
      expect(await textOf(page)).toBe('For admins');

      await page.goto(site.url);
      await page.getByText('Sign out').click();
      await page.waitForURL((url) => url.pathname === '/' || url.pathname.endsWith('/logged-out'));
      await page.goto(site.url);
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
    }));

  test('a clinician who is not verified is refused, and is no admin', () =>
    visit(browser, async ({ page, expectStatus }) => {
      expectStatus('403 /notes', '403 /admin');
      await page.goto(site.url);
      await page.getByRole('link', { name: 'Sign in' }).click();
      await logInAs(page, 'pending');
      await approve(page);
      await page.getByText('Sign out').waitFor();
      for (const path of ['/notes', '/admin']) {
        expect((await page.goto(site.url + path))?.status()).toBe(403);
      }
    }));

  if (name.includes('express'))
    test('a route that the site does not name requires a sign-in', async () => {
      const { headers } = await supertest(site.url).get('/not-named').set('Accept', 'text/html').expect(302);
      expect(headers.location).toMatch(/\/login\?|\/oauth\/authorize\?/);
    });

  test('a user who denies is not signed in', () =>
    visit(browser, async ({ page, expectStatus }) => {
      expectStatus('400 /callback', '403 /callback');
      await page.goto(`${site.url}/account`);
      await logInAs(page, 'minimal'); // who has approved nothing yet
      await deny(page);
      await page.goto(site.url);
      await page.getByRole('link', { name: 'Sign in' }).waitFor();
    }));
});
