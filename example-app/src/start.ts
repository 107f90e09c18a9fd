import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type MockProvider, startMockProvider } from 'passport-clinician/mock-provider';
import { createSite, type Site } from './app.js';
import { ALL_SCOPES, type Config, type Environment, InvalidConfig } from './config.js';
import type { Stores } from './redis.js';
import { gracefulClose } from './shutdown.js';

/** The first port of the mock provider: bookmarks of its inspector remain valid. */
const PROVIDER_PORT = 4400;
const PROVIDER_PORTS = 10;

/** @returns a mock provider on the first of its ports that is free. */
async function startProvider(): Promise<MockProvider> {
  for (let port = PROVIDER_PORT; port < PROVIDER_PORT + PROVIDER_PORTS; port += 1) {
    const provider = await startMockProvider({ port }).catch(() => undefined);
    if (provider) return provider;
  }
  return startMockProvider();
}

/** Registers this site. @returns the variables of a service that the mock provider replaces. */
function environmentOf(provider: MockProvider, { flow, appURL }: Config): Environment {
  const { clientID, clientSecret } = provider.registerClient({
    clientID: 'rounds',
    name: 'Rounds',
    flow,
    scope: ALL_SCOPES[flow],
    redirectURIs: [`${appURL}/auth/callback`],
    ...(flow === 'openid' && { postLogoutRedirectURIs: [`${appURL}/auth/logged-out`] }),
  });
  return {
    CLINICIAN_ISSUER: provider.issuer,
    CLINICIAN_API_URL: provider.apiURL,
    CLINICIAN_SHARE_SCRIPT_URL: provider.shareScriptURL,
    CLINICIAN_CLIENT_ID: clientID,
    CLINICIAN_CLIENT_SECRET: clientSecret,
  };
}

async function listen({ app }: Site, { port, appURL }: Config): Promise<Server> {
  const { hostname } = new URL(appURL);
  const loopback = hostname === '127.0.0.1' || hostname === 'localhost';
  // Browsers send the cookies of all sites on this host name, whatever their port: more than Node's 16 kB during development.
  const server = createServer({ maxHeaderSize: 65_536 }, app);
  server.listen(port, loopback ? hostname : undefined);
  try {
    await once(server, 'listening');
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') throw new InvalidConfig(`Port ${port} is in use. Set PORT to another one.`, { cause });
    if (code === 'EACCES') throw new InvalidConfig(`Port ${port} needs more permissions. Set PORT to one above 1023.`);
    throw cause;
  }
  return server;
}

/** @returns the URLs to open, and the users to sign in as, for a terminal. */
function startMessage({ appURL }: Config, provider: MockProvider | undefined): string {
  if (!provider) return `\n  Open ${appURL}\n`;
  return `
  Open       ${appURL}
  Inspector  ${provider.issuer}/

  Sign in as ${provider.clinicians.names().join(', ')}
  with the password clinician
`;
}

/** A site that serves its pages. */
export interface RunningSite {
  /** The URLs to open, and the users to sign in as, for a terminal. */
  message: string;
  /** Finishes the requests in progress, and then closes the sign-in, the stores and the mock provider. */
  close(): Promise<void>;
}

/** Starts the site, with a mock provider if the settings name no service. */
export async function startSite(config: Config, stores?: Stores): Promise<RunningSite> {
  let provider: MockProvider | undefined;
  let site: Site | undefined;
  let closeServer: ((timeoutMs: number) => Promise<void>) | undefined;

  async function close(): Promise<void> {
    await closeServer?.(config.shutdownTimeoutMs);
    await site?.clinician.close(); // waits for refreshes, before the store of their tokens is closed
    stores?.close();
    await provider?.stop();
  }

  try {
    provider = config.usesMockProvider ? await startProvider() : undefined;
    const environment = { ...config.environment, ...(provider && environmentOf(provider, config)) };
    site = createSite({ ...config, environment, stores, clock: provider?.clock });
    closeServer = gracefulClose(await listen(site, config));
  } catch (error) {
    await close();
    throw error;
  }
  return { message: startMessage(config, provider), close };
}
