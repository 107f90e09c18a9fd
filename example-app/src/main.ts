import { once } from 'node:events';
import type { Server } from 'node:http';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { createApp } from './app.js';
import { type Config, configMessage, InvalidConfig, readConfig, type Service } from './config.js';
import { connectRedis } from './redis.js';

function serviceOf(provider: MockProvider, { flow }: Config): Service {
  const { clientID, clientSecret } = provider.clients[flow];
  const { issuer, apiURL, shareScriptURL } = provider;
  return { issuer, apiURL, shareScriptURL, clientID, clientSecret };
}

async function listen(app: ReturnType<typeof createApp>, { port, appURL }: Config): Promise<Server> {
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
  const stores = config.redisURLs ? await connectRedis(config.redisURLs) : undefined;
  const provider = config.service ? undefined : await startMockProvider({ port: 0 });
  let server: Server | undefined;

  async function stop(): Promise<void> {
    server?.close();
    server?.closeAllConnections();
    await provider?.stop();
    stores?.close();
  }

  try {
    const service = config.service ?? serviceOf(provider as MockProvider, config);
    server = await listen(createApp({ ...config, service, stores }), config);
  } catch (error) {
    await stop();
    throw error;
  }
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop());
  printStartMessage(config, provider);
}

try {
  await start();
} catch (error) {
  console.error(configMessage(error) ?? error);
  process.exitCode = 1;
}
