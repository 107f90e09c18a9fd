import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { type MockProvider, startMockProvider } from '../../lib/mock-provider/mock-provider.js';

/** A provider, and the fetch through which the site and the clinician's browser reach it. */
export interface ProviderAccess {
  provider: MockProvider;
  fetch: typeof fetch;
  stop(): Promise<void>;
}

async function listen(handler: Parameters<typeof createServer>[1]): Promise<{ server: Server; origin: string }> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Requests to the provider go to another server, which calls its handler. */
async function handledBy(
  handlerOf: (provider: MockProvider) => Parameters<typeof createServer>[1],
): Promise<ProviderAccess> {
  const provider = await startMockProvider();
  const { server, origin } = await listen(handlerOf(provider));
  return {
    provider,
    fetch: (input, init) => fetch(String(input).replace(provider.issuer, origin), init),
    async stop() {
      await close(server);
      await provider.stop();
    },
  };
}

/** The URL of the provider is a path of another server. */
async function belowPath(): Promise<ProviderAccess> {
  let app = express();
  const { server, origin } = await listen((req, res) => app(req, res));
  const provider = await startMockProvider({ publicURL: `${origin}/idp` });
  app = express().use('/idp', provider.app);
  return {
    provider,
    fetch,
    async stop() {
      await close(server);
      await provider.stop();
    },
  };
}

export const PROVIDER_ACCESS: Readonly<Record<string, () => Promise<ProviderAccess>>> = {
  'a socket': async () => {
    const provider = await startMockProvider();
    return { provider, fetch, stop: () => provider.stop() };
  },
  'provider.fetch': async () => {
    const provider = await startMockProvider();
    return { provider, fetch: provider.fetch as typeof fetch, stop: () => provider.stop() };
  },
  'provider.app': () => handledBy((provider) => (req, res) => provider.app(req, res)),
  'provider.app in Express, below a path': belowPath,
};
