import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import express from 'express';
import session from 'express-session';
import type { Browser, Page } from 'playwright-core';
import { clinicianLogin, ServiceUnavailableError } from '../../lib/index.js';
import { german } from '../examples/programs/german.mjs';
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
const timezoneId = 'Pacific/Kiritimati';

function limited(): never {
  throw new ServiceUnavailableError('rate_limited', 'Too many requests.', { retryAt });
}

beforeAll(async () => {
  browser = await launch();
  const pages = { siteName: 'Rounds', logoURL: LOGO, stylesheet: '/brand.css' };
  const clinician = clinicianLogin(loginOptions(provider, { pages }));
  const inGerman = clinicianLogin(loginOptions(provider, { texts: german }));
  const app = express();
  app.use(session({ secret: sealingSecret, resave: false, saveUninitialized: false }), clinician);
  app.get('/begrenzt', limited, inGerman.errorHandler());
  app.get('/brand.css', (_req, res) => void res.type('css').send(CSS));
  app.get('/limited', limited);
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

test.each([
  ['/limited', 'Jan 2, 2020, 4:05 AM', 'Try again after 4:05 AM.', 'Try again after 14:05 (UTC).'],
  [
    '/begrenzt',
    '02.01.2020, 04:05',
    'Versuchen Sie es nach 04:05 Uhr noch einmal.',
    'Versuchen Sie es nach 14:05 Uhr (UTC) noch einmal.',
  ],
])(
  'the page %s shows the time of the browser, with its date where it is not today, or UTC',
  async (path, withDate, today, utc) => {
    const textOf = async (page: Page, selector: string) =>
      (await page.locator(selector).textContent())?.replace(/\s/g, ' ');
    await visit(
      browser,
      async ({ page, expectStatus }) => {
        expectStatus(`503 ${path}`);
        await serveLogo(page);
        await page.goto(origin + path);
        expect(await textOf(page, 'time')).toBe(withDate);
        await page.clock.setFixedTime(retryAt);
        await page.goto(origin + path);
        expect(await textOf(page, 'p:has(time)')).toBe(today);
      },
      { timezoneId },
    );
    const context = await newProfile(browser, { javaScriptEnabled: false, timezoneId });
    const page = await context.newPage();
    await page.goto(origin + path);
    expect(await textOf(page, 'p:has(time)')).toBe(utc);
    await context.close();
  },
);
