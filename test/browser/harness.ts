import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect } from '@jest/globals';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';
import { type SiteSettings, siteFor } from '../example-app/site.js';

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  // The address bar of each window would load two pages of its own: a quarter of the processor time of these tests.
  '--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,SpareRendererForSitePerProcess',
  // A change between site and provider would start a process, and a spare one: a sixth of the processor time.
  '--disable-site-isolation-trials',
  '--renderer-process-limit=1',
];

/** Starts a server of this process on its own port. @param handle receives its origin */
export async function listen(handle: (origin: string) => RequestListener): Promise<{ origin: string; stop(): void }> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  server.on('request', handle(origin));
  return {
    origin,
    stop() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** The reference site and a mock provider in this process, each on its own port. */
export interface Servers {
  /** The origin of the site. */
  site: string;
  provider: MockProvider;
  stop(): Promise<void>;
}

export async function startServers(settings: SiteSettings & { providerHost?: string } = {}): Promise<Servers> {
  const { providerHost, ...siteSettings } = settings;
  const provider = await startMockProvider({ port: 0, apiPort: 0, ...(providerHost && { host: providerHost }) });
  const { origin, stop } = await listen((appURL) => siteFor(provider, { ...siteSettings, appURL }));
  return {
    site: origin,
    provider,
    async stop() {
      stop();
      await provider.stop();
    },
  };
}

/** Runs a test with servers of these settings, then stops them. */
export async function withServers(
  settings: Parameters<typeof startServers>[0],
  run: (servers: Servers) => Promise<void>,
): Promise<void> {
  const servers = await startServers(settings);
  try {
    await run(servers);
  } finally {
    await servers.stop();
  }
}

const { CHROMIUM, CHROMIUM_HEADLESS_SHELL } = process.env;

/** The browser of all tests of a file: a test has a profile of its own. */
let browser: Browser;
beforeAll(async () => {
  // The headless shell needs half of the processor time.
  browser = await chromium.launch({ executablePath: CHROMIUM_HEADLESS_SHELL || (CHROMIUM as string), args: FLAGS });
});
afterAll(() => browser.close());

/** For a slow machine. Less than the time limit of a test, so that the error names what is missing. */
const TIMEOUT_MS = 100_000;

/** Creates a browser profile. Its pages wait for elements and navigations also on a slow machine. */
export async function newProfile(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(TIMEOUT_MS);
  return context;
}

/** A browser profile during one test. */
export interface Visit {
  page: Page;
  newTab(): Promise<Page>;
  /** Allows responses with these statuses, such as `403 /auth/callback`: the console reports every status of 400 or above. */
  expectStatus(...statusAndPath: string[]): void;
}

/** Runs a test in a new browser profile. An error, a warning or a dialog in the browser fails the test. */
export async function visit(run: (visit: Visit) => Promise<void>, options: BrowserContextOptions = {}): Promise<void> {
  const context = await newProfile(options);
  const problems: string[] = [];
  const expected: string[] = [];

  context.on('console', (message) => {
    const { pathname } = new URL(message.location().url || 'about:blank');
    const status = /server responded with a status of (\d+)/.exec(message.text())?.[1];
    // Chromium requests this icon for a document that names none, such as JSON; its headless shell requests no icon.
    if (status && [...expected, '404 /favicon.ico'].includes(`${status} ${pathname}`)) return;
    if (['error', 'warning'].includes(message.type())) problems.push(`${message.text()} (${pathname})`);
  });
  context.on('weberror', (error) => problems.push(String(error.error())));
  context.on('dialog', (dialog) => {
    problems.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });

  try {
    const page = await context.newPage();
    await run({
      page,
      newTab: () => context.newPage(),
      expectStatus: (...statuses) => void expected.push(...statuses),
    });
    expect(problems).toEqual([]);
  } finally {
    await context.close();
  }
}
