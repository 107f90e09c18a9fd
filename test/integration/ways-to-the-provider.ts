import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';

/** One way to reach a provider: everybody asks through this fetch, the site and the clinician's browser. */
export interface Way {
  provider: MockProvider;
  fetch: typeof fetch;
  end(): Promise<void>;
}

async function served(handler: Parameters<typeof createServer>[1]): Promise<{ server: Server; origin: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function ended(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** What is asked of the provider goes to another server, which has its handler inside. */
async function handledBy(handlerOf: (provider: MockProvider) => Parameters<typeof createServer>[1]): Promise<Way> {
  const provider = await startMockProvider();
  const { server, origin } = await served(handlerOf(provider));
  return {
    provider,
    fetch: (input, init) => fetch(String(input).replace(provider.issuer, origin), init),
    async end() {
      await ended(server);
      await provider.stop();
    },
  };
}

/** The provider's address is a path of the site's own server. */
async function belowPath(): Promise<Way> {
  let app = express();
  const { server, origin } = await served((req, res) => app(req, res));
  const provider = await startMockProvider({ publicURL: `${origin}/idp` });
  app = express().use('/idp', provider.app);
  return {
    provider,
    fetch,
    async end() {
      await ended(server);
      await provider.stop();
    },
  };
}

export const WAYS: Readonly<Record<string, () => Promise<Way>>> = {
  'a socket': async () => {
    const provider = await startMockProvider();
    return { provider, fetch, end: () => provider.stop() };
  },
  'a sandbox': async () => {
    const provider = await startMockProvider();
    return { provider: provider.sandbox(), fetch, end: () => provider.stop() };
  },
  'provider.fetch': async () => {
    const provider = await startMockProvider();
    return { provider, fetch: provider.fetch as typeof fetch, end: () => provider.stop() };
  },
  'provider.app': () => handledBy((provider) => (req, res) => provider.app(req, res)),
  'provider.app in Express, behind body parsers': () =>
    handledBy((provider) => express().use(express.urlencoded(), express.json(), provider.app)),
  'provider.app in Express, below a path': belowPath,
};
