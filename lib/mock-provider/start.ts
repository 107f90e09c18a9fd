import { createAdminHandler, hasInspector } from './inspector/create-admin-handler.js';
import { INSPECTOR } from './inspector/paths.js';
import type { MockProviderOptions } from './options/provider-options.js';
import { isReachable, resolveOptions } from './options/resolve-provider-options.js';
import { createProvider, type MockProvider } from './provider.js';
import { ProviderInstance } from './provider-instance.js';
import { createApp } from './server/app.js';
import { type Listening, listen } from './server/listen.js';
import { ServedInstance } from './server/served-instance.js';
import { serverIdentity } from './server/server-identity.js';

/**
 * Starts the whole clinician identity service in this process, for tests and local development. It listens on a free port of
 * 127.0.0.1 by default. If an option is invalid, it throws an error that says how to fix it.
 * @example
 * ```ts
 * const provider = await startMockProvider();
 * // ... pass provider.issuer, provider.apiURL and provider.clients.openid to the site under test
 * await provider.stop();
 * ```
 */
export async function startMockProvider(options: MockProviderOptions = {}): Promise<MockProvider> {
  const resolved = resolveOptions(options);
  const identity = serverIdentity(resolved);
  const server = await listen(resolved, 'port', identity);
  let apiServer: Listening | undefined;
  const close = async () => void (await Promise.all([server, apiServer].map((one) => one?.close())));
  try {
    if (resolved.apiPort !== undefined) apiServer = await listen(resolved, 'apiPort', identity);
    const issuer = resolved.publicURL ?? server.origin;
    const inspectorURL = hasInspector(resolved) ? issuer + INSPECTOR.page : undefined;
    const apiOrigin = originOf(apiServer, issuer);
    const instance = new ProviderInstance(resolved, { issuer, port: server.port, apiOrigin, inspectorURL });
    const served = new ServedInstance(
      instance,
      createAdminHandler(instance, () => provider),
    );
    const provider = createProvider(served, identity?.ca, async () => {
      served.stop();
      await close();
    });
    server.serve(createApp(served, apiServer && 'issuer'));
    apiServer?.serve(createApp(served, 'api'));
    warnIfReachable(resolved.host);
    return provider;
  } catch (error) {
    await close();
    throw error;
  }
}

/** Warns of an address that other machines reach: they can sign in as any clinician. */
function warnIfReachable(host: string): void {
  if (!isReachable(host)) return;
  process.emitWarning(
    `The mock provider listens on ${host}. Every machine that reaches it can sign in as any clinician. Use such an address only in the network of containers.`,
    { type: 'MockProviderWarning', code: 'mock_provider_reachable' },
  );
}

/** @returns the origin of a server on another port than the issuer's; the issuer's without one. */
function originOf(server: Listening | undefined, issuer: string): string {
  const url = new URL(issuer);
  if (server !== undefined) url.port = String(server.port);
  return url.origin;
}
