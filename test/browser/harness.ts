import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from '@jest/globals';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type SiteSettings, siteFor } from '../example-app/site.js';

const ARTIFACTS = 'test-artifacts';
const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The reference site and its provider, in this process, on ports of their own. */
export interface World {
  site: string;
  provider: MockProvider;
  stop(): Promise<void>;
}

export async function startWorld(settings: SiteSettings & { providerHost?: string } = {}): Promise<World> {
  const { providerHost, ...ofSite } = settings;
  const provider = await startMockProvider({ port: 0, ...(providerHost && { host: providerHost }) });
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const site = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', siteFor(provider, { ...ofSite, appURL: site }));
  return {
    site,
    provider,
    async stop() {
      server.close();
      server.closeAllConnections();
      await provider.stop();
    },
  };
}

export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env.CHROMIUM as string, args: FLAGS });
}

/** What a browser complained about, or ran though it should not have. */
export interface Visit {
  page: Page;
  newTab(): Promise<Page>;
  /** Another answer than 200 to a page is in the console, too: names those that the journey is about, as `403 /auth/callback`. */
  expectAnswer(...statusAndPath: string[]): void;
  picture(name: string): Promise<void>;
}

/** A browser without a past, for one journey. Whatever it complained about by the end fails the journey. */
export async function visit(
  browser: Browser,
  journey: (visit: Visit) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext(options);
  const complaints: string[] = [];
  const expected: string[] = [];

  // The personas' photos are on a host that does not exist.
  await context.route('https://photos.clinic.example/**', (route) =>
    route.fulfill({ contentType: 'image/svg+xml', body: '<svg xmlns="http://www.w3.org/2000/svg"/>' }),
  );
  context.on('console', (message) => {
    const { pathname } = new URL(message.location().url || 'about:blank');
    const status = /server responded with a status of (\d+)/.exec(message.text())?.[1];
    if (status && expected.includes(`${status} ${pathname}`)) return;
    if (['error', 'warning'].includes(message.type())) complaints.push(`${message.text()} (${pathname})`);
  });
  context.on('weberror', (error) => complaints.push(String(error.error())));
  context.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });

  try {
    const page = await context.newPage();
    await journey({
      page,
      newTab: () => context.newPage(),
      expectAnswer: (...answers) => void expected.push(...answers),
      async picture(name) {
        await mkdir(ARTIFACTS, { recursive: true });
        await page.screenshot({ path: `${ARTIFACTS}/${name}.png`, fullPage: true });
      },
    });
    expect(complaints).toEqual([]);
  } finally {
    await context.close();
  }
}
