import { once } from 'node:events';
import type { Server } from 'node:http';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { createSite, type Site } from './app.js';
import { type Config, configMessage, type Environment, InvalidConfig, readConfig } from './config.js';
import type { Stores } from './redis.js';
import { exitOnSignal, gracefulClose } from './shutdown.js';

/** @returns the variables of a service that the mock provider replaces. */
function environmentOf(provider: MockProvider, flow: Config['flow']): Environment {
  const { clientID, clientSecret } = provider.clients[flow];
  return {
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_SHARE_SCRIPT_URL: provider.shareScriptURL,
    CLINICIAN_CLIENT_ID: clientID,
    CLINICIAN_CLIENT_SECRET: clientSecret,
  };
}

/** Loads the package `redis` only where the site uses Redis: it would take a third of the time of a start. */
async function connectStores(redisURLs: readonly URL[]): Promise<Stores> {
  const { connectRedis } = await import('./redis.js');
  return await connectRedis(redisURLs);
}

async function listen({ app }: Site, { port, appURL }: Config): Promise<Server> {
  const { hostname } = new URL(appURL);
  const loopback = hostname === '127.0.0.1' || hostname === 'localhost';
  const server = loopback ? app.listen(port, hostname) : app.listen(port);
  try {
    await once(server, 'listening');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new InvalidConfig(`Port ${port} is in use. Set PORT to another one.`);
    if (code === 'EACCES') throw new InvalidConfig(`Port ${port} needs more permissions. Set PORT to one above 1023.`);
    throw error;
  }
  return server;
}

function printStartMessage(config: Config, provider: MockProvider | undefined): void {
  console.log(`\n  Open ${config.appURL}\n`);
  if (!provider) return;
  console.log(`  Sign in as ${provider.clinicians.names().join(', ')}`);
  console.log('  with the password clinician\n');
}

async function start(): Promise<void> {
  const config = readConfig(process.env);
  const stores = config.redisURLs && (await connectStores(config.redisURLs));
  const provider = config.usesMockProvider ? await startMockProvider({ port: 0, apiPort: 0 }) : undefined;
  let site: Site | undefined;
  let closeServer: ((timeoutMs: number) => Promise<void>) | undefined;

  async function close(): Promise<void> {
    await closeServer?.(config.shutdownTimeoutMs);
    await site?.clinician.close(); // waits for refreshes, before the store of their tokens is closed
    stores?.close();
    await provider?.stop();
  }

  try {
    const environment = { ...config.environment, ...(provider && environmentOf(provider, config.flow)) };
    site = createSite({ ...config, environment, stores });
    closeServer = gracefulClose(await listen(site, config));
  } catch (error) {
    await close();
    throw error;
  }
  exitOnSignal(close);
  printStartMessage(config, provider);
}

try {
  await start();
} catch (error) {
  console.error(configMessage(error) ?? error);
  process.exitCode = 1;
}
