import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import type { Browser, Page } from 'playwright-core';
import { clinicianLogin, ServiceUnavailableError } from '../../lib/index.js';
import { provider } from '../helpers/provider.js';
import { loginOptions, sealingSecret } from '../integration/site.js';
import { launch, newProfile, visit } from './harness.js';

const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"/>';
const CSS = '.clinician-card { border-top: 3px solid rgb(122, 31, 162); }';
const LOGO = 'https://cdn.example/logo.svg';

let browser: Browser;
let server: Server;
let origin: string;
/** The time on the page of an error. */
const retryAt = Date.UTC(2020, 0, 1, 14, 5);

beforeAll(async () => {
  browser = await launch();
  const pages = { siteName: 'Rounds', logoURL: LOGO, stylesheet: '/brand.css' };
  const clinician = clinicianLogin(loginOptions(provider, { pages }));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
  app.get('/brand.css', (_req, res) => void res.type('css').send(CSS));
  app.get('/limited', () => {
    throw new ServiceUnavailableError('rate_limited', 'Too many requests.', { retryAt });
  });
  app.use(clinician.errorHandler());
  server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.close();
  await browser.close();
});

async function serveLogo(page: Page): Promise<void> {
  await page.route(LOGO, (route) => route.fulfill({ contentType: 'image/svg+xml', body: SVG }));
}

test('a page shows the logo of another host, and follows the style sheet of the site', () =>
  visit(browser, async ({ page }) => {
    const other: string[] = [];
    page.on('request', (request) => void (request.url().startsWith(origin) || other.push(request.url())));
    await serveLogo(page);
    await page.goto(`${origin}/auth/logged-out`);
    const width = 'document.images[0].decode().then(() => document.images[0].naturalWidth)';
    expect(await page.evaluate(width)).toBe(40);
    expect(await page.getByRole('link', { name: 'Rounds', exact: true }).count()).toBe(1);
    expect(other).toEqual([LOGO]);
    const color = "getComputedStyle(document.querySelector('main')).borderTopColor";
    expect(await page.evaluate(color)).toBe('rgb(122, 31, 162)');
  }));

test('a time on a page is that of the browser, with its date where it is not today', () =>
  visit(
    browser,
    async ({ page, expectStatus }) => {
      expectStatus('503 /limited');
      await serveLogo(page);
      const time = page.locator('time');
      await page.goto(`${origin}/limited`);
      expect(await time.textContent()).toMatch(/^Jan 2, 2020, 4:05\sAM$/);
      await page.clock.setFixedTime(retryAt);
      await page.goto(`${origin}/limited`);
      expect(await time.textContent()).toMatch(/^4:05\sAM$/);
    },
    { timezoneId: 'Pacific/Kiritimati' },
  ));

test('without scripts, a time on a page is in UTC', async () => {
  const context = await newProfile(browser, { javaScriptEnabled: false, timezoneId: 'Pacific/Kiritimati' });
  const page = await context.newPage();
  await page.goto(`${origin}/limited`);
  expect(await page.locator('time').textContent()).toBe('14:05 UTC');
  await context.close();
});
