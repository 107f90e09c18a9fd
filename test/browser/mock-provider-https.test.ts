import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { authorizeURL } from '../mock-provider/wire.js';
import { launch, visit } from './harness.js';
import { logInAs } from './pages.js';

let browser: Browser;
let provider: MockProvider;
let site: Server;
beforeAll(async () => {
  site = createServer((_req, res) => {
    res.setHeader('content-type', 'text/html');
    res.end('<!doctype html><html lang="en"><title>A site</title><link rel="icon" href="data:,"></html>');
  }).listen(0, '127.0.0.1');
  await once(site, 'listening');
  [browser, provider] = await Promise.all([launch(), startMockProvider({ https: true })]);
});
afterAll(async () => {
  site.close().closeAllConnections();
  await Promise.all([browser.close(), provider.stop()]);
});

// The browser ignores that the authority is unknown. The test shows that it accepts the certificate in all other respects.
test('a browser signs in over TLS, and is signed in there the next time', () =>
  visit(
    browser,
    async ({ page }) => {
      const callback = `http://127.0.0.1:${(site.address() as AddressInfo).port}/callback`;
      const request = { redirect_uri: callback, scope: 'openid' };
      const response = await page.goto(authorizeURL(provider, provider.clients.openid, request));
      const { issuer, protocol } = (await response?.securityDetails()) ?? {};
      expect([issuer, protocol]).toEqual([expect.stringMatching(/^Mock provider authority /), 'TLS 1.3']);
      await logInAs(page, 'verified');
      await page.getByRole('button', { name: 'Approve' }).click();
      await page.waitForURL(`${callback}?*`);
      expect(new URL(page.url()).searchParams.has('code')).toBe(true);
      await page.goto(authorizeURL(provider, provider.clients.openid, { ...request, prompt: 'none' }));
      expect(new URL(page.url()).searchParams.has('code')).toBe(true);
      const cookies = await page.context().cookies(`${provider.issuer}/oauth/authorize`);
      expect(cookies.length).toBeGreaterThan(0);
      for (const { secure, sameSite } of cookies) expect([secure, sameSite]).toEqual([true, 'None']);
    },
    { ignoreHTTPSErrors: true },
  ));
