import { createAdminHandler, mayInspect } from './inspector/create-admin-handler.js';
import type { MockProviderOptions, SandboxOptions } from './options/options.js';
import { resolveOptions, resolveSandboxOptions } from './options/resolve-options.js';
import { createProvider, type MockProvider } from './provider.js';
import { createInstance, type ProviderInstance } from './provider-instance.js';
import { createApp } from './server/app.js';
import { InstanceRegistry } from './server/instance-registry.js';
import { listen } from './server/server.js';
import { listenForShareScript, shareScriptAlone } from './server/share-server.js';

export { FAULTS, type Fault, type FaultAlias, type FaultName } from './faults/catalogue.js';
export { MODULES_WITHOUT_FAULT } from './faults/conformance-modules.js';
export type { FaultEndpoint, FaultKind, FaultOptions } from './faults/fault.js';
export type { Faults, QueuedFault } from './faults/fault-queue.js';
export type { BrowserSelector, ClinicianName, HeadlessSignInOptions } from './headless/headless-browser.js';
export type { ClientRegistration, RegisteredClient } from './options/client-registration.js';
export type {
  ClinicianChanges,
  ClinicianLocation,
  ClinicianOptions,
  ClinicianProfileFields,
} from './options/clinician-options.js';
export type { Duration } from './options/duration.js';
export type { FlowName } from './options/flow.js';
export type { LifetimeOptions, MockProviderOptions, RateLimitOptions, SandboxOptions } from './options/options.js';
export type { SessionCheck } from './protocol/session-state.js';
export type { MockProvider } from './provider.js';
export type { Problem } from './recording/problems.js';
export type {
  LoginOutcome,
  RecordedLogin,
  RecordedRequest,
  RecordedRequests,
  WaitOptions,
} from './recording/recorded-request.js';
export type { Finding, Report } from './recording/report.js';
export type { TraceOptions } from './recording/trace.js';
export type { MockProviderApp } from './server/app.js';
export type { MockFetch } from './server/fetch.js';
export type { Clinician, Clinicians } from './state/clinician.js';
export type { MockClock } from './state/clock.js';
export type { Inbox, InboxMessage } from './state/inbox.js';
export type { Keys } from './state/keys.js';

/**
 * Starts the whole clinician identity service in this process: for tests and local development.
 * Throws one sentence for a bad option. Listens on a free port of 127.0.0.1 unless told otherwise.
 * @example
 * ```ts
 * const provider = await startMockProvider();
 * // ... give provider.issuer, provider.apiURL and provider.clients.openid to the site under test
 * await provider.stop();
 * ```
 */
export async function startMockProvider(options: MockProviderOptions = {}): Promise<MockProvider> {
  const resolved = resolveOptions(options);
  const server = await listen(resolved);
  try {
    const main = createInstance(resolved, resolved.publicURL ?? server.origin, server.port);
    const registry = new InstanceRegistry(main);
    const shareServer = await listenForShareScript(resolved);
    const app = createApp(registry);
    server.answerWith(app);
    shareServer?.answerWith(shareScriptAlone(app));
    const shareOrigin = shareServer?.origin ?? new URL(main.issuer).origin;
    const handleOf = (instance: ProviderInstance, stop: () => Promise<void>): MockProvider => {
      const provider = createProvider(instance, {
        registry: registry,
        shareOrigin,
        ca: resolved.https?.ca,
        sandbox,
        stop,
      });
      instance.adminHandler = createAdminHandler(instance, provider, {
        control: resolved.control,
        inspector: mayInspect(resolved),
      });
      return provider;
    };
    const sandbox = (given: SandboxOptions = {}): MockProvider => {
      const own = resolveSandboxOptions(options, given);
      if (main.pendingResponses.isOver)
        throw new Error('The provider was stopped: start another one before its sandboxes.');
      const instance = createInstance(own, registry.nextIssuer(), server.port);
      registry.add(instance);
      return handleOf(instance, async () => leave(registry, instance));
    };
    return handleOf(main, async () => {
      for (const instance of [...registry.sandboxes(), main]) leave(registry, instance);
      await Promise.all([server.close(), shareServer?.close()]);
    });
  } catch (error) {
    await server.close();
    throw error;
  }
}

function leave(registry: InstanceRegistry, instance: ProviderInstance): void {
  instance.recorder.close();
  instance.pendingResponses.breakOff();
  if (instance !== registry.main) registry.remove(instance);
}
