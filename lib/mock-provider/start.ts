import type { ControlActions } from './control/operation.js';
import { createAdminHandler, hasInspector } from './inspector/create-admin-handler.js';
import { INSPECTOR } from './inspector/paths.js';
import type { MockProviderOptions, SandboxOptions } from './options/provider-options.js';
import {
  isReachable,
  type ResolvedOptions,
  resolveOptions,
  resolveSandboxOptions,
  serverIdentity,
} from './options/resolve-provider-options.js';
import { createProvider, type MockProvider } from './provider.js';
import { createInstance, type ProviderInstance } from './provider-instance.js';
import type { AdminHandler } from './server/admin-handler.js';
import { createApp } from './server/app.js';
import { createExchangeHandler } from './server/exchange-handler.js';
import { InstanceRegistry, type ServedInstance } from './server/instance-registry.js';
import { type Listening, listen } from './server/listen.js';
import { createRouter } from './server/router.js';
import { createRoutes } from './server/routes.js';

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
  const identity = await serverIdentity(resolved);
  const server = await listen(resolved, 'port', identity);
  let apiServer: Listening | undefined;
  const close = async () => void (await Promise.all([server, apiServer].map((one) => one?.close())));
  try {
    if (resolved.apiPort !== undefined) apiServer = await listen(resolved, 'apiPort', identity);
    const registry = new InstanceRegistry();
    const servers = { registry, server, apiServer, ca: identity?.ca, close };
    const provider = openProvider(options, resolved, servers);
    server.serve(createApp(registry, apiServer && 'issuer'));
    apiServer?.serve(createApp(registry, 'api'));
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

interface Servers {
  readonly registry: InstanceRegistry;
  readonly server: Listening;
  readonly apiServer: Listening | undefined;
  readonly ca: string | undefined;
  close(): Promise<void>;
}

/** Creates the main provider, which creates its sandboxes. */
function openProvider(options: MockProviderOptions, resolved: ResolvedOptions, servers: Servers): MockProvider {
  const { registry, server, apiServer, ca, close } = servers;
  const access = { control: resolved.control, inspector: hasInspector(resolved) };
  const issuer = resolved.publicURL ?? server.origin;
  const apiOrigin = originOf(apiServer, issuer);

  function open(
    own: ResolvedOptions,
    ownIssuer: string,
    stop: (served: ServedInstance) => Promise<void>,
  ): MockProvider {
    const instance = createInstance(own, {
      issuer: ownIssuer,
      port: server.port,
      apiOrigin,
      inspectorURL: access.inspector ? ownIssuer + INSPECTOR.page : undefined,
    });
    const actions: ControlActions = {
      registerClient: (registration) => provider.registerClient(registration),
      sandbox: (sandboxOptions) => provider.sandbox(sandboxOptions),
      signIn: (authorizeURL, signInOptions) => provider.signIn(authorizeURL, signInOptions),
      signOut: (logoutURL, selector) => provider.signOut(logoutURL, selector),
      trace: (traceOptions) => provider.trace(traceOptions),
      endSessions: (username) => provider.endSessions(username),
      revokeGrants: (selector) => provider.revokeGrants(selector),
      expireGrants: (expiry) => provider.expireGrants(expiry),
      reset: () => provider.reset(),
    };
    const served = serveInstance(instance, createAdminHandler(instance, actions, access));
    registry.add(served);
    const provider = createProvider(instance, { registry, served, ca, sandbox, stop: () => stop(served) });
    return provider;
  }

  function sandbox(sandboxOptions: SandboxOptions = {}): MockProvider {
    const own = resolveSandboxOptions(options, sandboxOptions);
    if (registry.main.pendingResponses.isStopped) {
      throw new Error('The provider was stopped. Start another one before you create sandboxes.');
    }
    return open(own, registry.nextIssuer(), async (served) => registry.remove(served));
  }

  return open(resolved, issuer, async () => {
    registry.stopAll();
    await close();
  });
}

/** @returns the origin of a server on another port than the issuer's; the issuer's without one. */
function originOf(server: Listening | undefined, issuer: string): string {
  const url = new URL(issuer);
  if (server !== undefined) url.port = String(server.port);
  return url.origin;
}

function serveInstance(instance: ProviderInstance, adminHandler: AdminHandler): ServedInstance {
  const { issuer, prefix, pendingResponses, recorder } = instance;
  const table = createRoutes(instance);
  const handleExchange = createExchangeHandler(createRouter(table), table.resourceAPI, instance);
  return {
    issuer,
    prefix,
    pendingResponses,
    serves: (path, address) => table.find(path, address) !== undefined || (path !== '/' && adminHandler.has(path)),
    async handle(http) {
      const response =
        (http.address ?? 'issuer') === 'issuer' && adminHandler.has(http.path)
          ? await adminHandler.respond(http)
          : undefined;
      return response ?? (await handleExchange(http));
    },
    stop() {
      recorder.close();
      pendingResponses.abortAll();
    },
  };
}
