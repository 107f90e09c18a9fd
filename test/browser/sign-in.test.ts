import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import type { Page } from 'playwright-core';
import { clinicianLogin, ServiceUnavailableError } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';
import { listen, type Servers, startServers, visit } from './harness.js';
import { expectHeading, signInAs, tabTo } from './pages.js';

describe('the reference site', () => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers();
  });
  afterEach(() => servers.provider.reset());
  afterAll(() => servers.stop());

  test('a clinician signs in on the pages, reads the notes and signs out, with the keyboard only', () =>
    visit(async ({ page }) => {
      const use = async (control: RegExp) => {
        await tabTo(page, control);
        await page.keyboard.press('Enter');
      };
      await page.goto(servers.site);
      await use(/Sign in as a clinician/);
      await expectHeading(page, 'Sign in');
      await tabTo(page, /^User name/);
      await page.keyboard.type('verified');
      await tabTo(page, /password/i);
      await page.keyboard.type('clinician');
      await page.keyboard.press('Enter');
      await page.getByRole('button', { name: /deny/i }).waitFor();
      await use(/approve/i);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
      await use(/Notes/);
      await expectHeading(page, 'Notes');
      await use(/Sign out/);
      await expectHeading(page, 'You are signed out');
      await page.goto(servers.site);
      expect(await page.getByRole('link', { name: 'Sign in as a clinician' }).count()).toBe(1);
    }));

  test('after back, forward and a repeated callback the user is still signed in', () =>
    visit(async ({ page, expectStatus }) => {
      expectStatus('400 /oauth/resume', '403 /auth/callback'); // the provider's page can be submitted only once
      const callbacks: string[] = [];
      page.on('request', (request) => {
        if (request.url().startsWith(`${servers.site}/auth/callback`)) callbacks.push(request.url());
      });
      await page.goto(servers.site);
      await signInAs(page, 'verified');
      await page.goBack();
      await page.goForward();
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
      await page.goto(callbacks[0] as string);
      await expectHeading(page, 'You are signed in');
      await page.goto(servers.site);
      await expectHeading(page, 'Welcome, Vera Castellanos, MD');
    }));
});

describe("this package's pages", () => {
  const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>';
  const CSS = '.clinician-card { border-top: 3px solid rgb(122, 31, 162); }';
  const LOGO = 'https://cdn.example/logo.svg';
  /** The time on the page of an error. */
  const retryAt = Date.UTC(2020, 0, 1, 14, 5);
  let origin: string;
  let stop: () => void;
  beforeAll(async () => {
    const pages = { siteName: 'Rounds', logoURL: LOGO, stylesheet: '/brand.css' };
    const clinician = clinicianLogin(loginOptions(provider, { pages }));
    const app = express();
    app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
    app.get('/brand.css', (_req, res) => void res.type('css').send(CSS));
    app.get('/limited', () => {
      throw new ServiceUnavailableError('rate_limited', 'Too many requests.', { retryAt });
    });
    app.use(clinician.errorHandler());
    ({ origin, stop } = await listen(() => app));
  });
  afterAll(() => stop());
  const serveLogo = (page: Page) =>
    page.route(LOGO, (route) => route.fulfill({ contentType: 'image/svg+xml', body: SVG }));

  test('show the logo of another host, and follow the style sheet of the site', () =>
    visit(async ({ page }) => {
      const other: string[] = [];
      page.on('request', (request) => void (request.url().startsWith(origin) || other.push(request.url())));
      await serveLogo(page);
      await page.goto(`${origin}/auth/logged-out`);
      const width = 'document.images[0].decode().then(() => document.images[0].naturalWidth)';
      expect(await page.evaluate(width)).toBe(40);
      expect(other).toEqual([LOGO]);
      const color = "getComputedStyle(document.querySelector('main')).borderTopColor";
      expect(await page.evaluate(color)).toBe('rgb(122, 31, 162)');
    }));

  test('show the time of the browser, with its date where it is not today', () =>
    visit(
      async ({ page, expectStatus }) => {
        const textOf = async (selector: string) => (await page.locator(selector).textContent())?.replace(/\s/g, ' ');
        expectStatus('503 /limited');
        await serveLogo(page);
        await page.goto(`${origin}/limited`);
        expect(await textOf('time')).toBe('Jan 2, 2020, 4:05 AM');
        await page.clock.setFixedTime(retryAt);
        await page.goto(`${origin}/limited`);
        expect(await textOf('p:has(time)')).toBe('Try again after 4:05 AM.');
      },
      { timezoneId: 'Pacific/Kiritimati' },
    ));
});
