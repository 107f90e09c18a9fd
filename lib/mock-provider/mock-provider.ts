import { createApp } from './app.js';
import { createHandle, type MockProvider } from './handle.js';
import { buildHouse, type House } from './house.js';
import { createDesk, mayInspect } from './inspector/desks.js';
import type { MockProviderOptions } from './options.js';
import { resolveOptions } from './resolve-options.js';
import { type SandboxOptions, sandboxOptions } from './sandbox-options.js';
import { listen } from './server.js';
import { listenForShareScript, shareScriptAlone } from './share-server.js';
import { Street } from './street.js';

export type { MockProviderApp } from './app.js';
export type {
  Clinician,
  ClinicianLocation,
  ClinicianOptions,
  ClinicianProfileFields,
  Clinicians,
} from './clinician.js';
export type { MockClock } from './clock.js';
export type { Duration } from './duration.js';
export { FAULTS } from './faults/catalogue.js';
export type { Fault, FaultEndpoint, FaultKind, FaultOptions } from './faults/fault.js';
export type { FaultAlias, FaultName } from './faults/fault-names.js';
export type { Faults, WaitingFault } from './faults/fault-queue.js';
export { MODULES_WITHOUT_FAULT } from './faults/modules.js';
export type { MockFetch } from './fetch.js';
export type { FlowName } from './flow.js';
export type { MockProvider } from './handle.js';
export type { Keys } from './keys.js';
export type { LifetimeOptions, MockProviderOptions, RateLimitOptions } from './options.js';
export type { SessionCheck } from './protocol/session-state.js';
export type { Problem } from './records/problems.js';
export type {
  LoginOutcome,
  RecordedLogin,
  RecordedRequest,
  RecordedRequests,
  WaitOptions,
} from './records/recorded-request.js';
export type { Finding, Report } from './records/report.js';
export type { TraceOptions } from './records/trace.js';
export type { SandboxOptions } from './sandbox-options.js';
export type { ClientRegistration, RegisteredClient } from './stores/client-registration.js';
export type { Inbox, InboxMessage } from './stores/inbox.js';
export type { ClinicianName, Person, Whose } from './user-agent.js';

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
    const main = buildHouse(resolved, resolved.publicURL ?? server.origin, server.port);
    const street = new Street(main);
    const shareServer = await listenForShareScript(resolved);
    const app = createApp(street);
    server.answerWith(app);
    shareServer?.answerWith(shareScriptAlone(app));
    const shareOrigin = shareServer?.origin ?? new URL(main.issuer).origin;
    const handleOf = (house: House, stop: () => Promise<void>): MockProvider => {
      const provider = createHandle(house, { street, shareOrigin, ca: resolved.https?.ca, sandbox, stop });
      house.desk = createDesk(house, provider, { control: resolved.control, inspector: mayInspect(resolved) });
      return provider;
    };
    const sandbox = (given: SandboxOptions = {}): MockProvider => {
      const own = resolveOptions(sandboxOptions(options, given), 'sandbox()');
      if (main.unfinished.isOver) throw new Error('The provider was stopped: start another one before its sandboxes.');
      const house = buildHouse(own, street.nextIssuer(), server.port);
      street.add(house);
      return handleOf(house, async () => leave(street, house));
    };
    return handleOf(main, async () => {
      for (const house of [...street.sandboxes(), main]) leave(street, house);
      await Promise.all([server.close(), shareServer?.close()]);
    });
  } catch (error) {
    await server.close();
    throw error;
  }
}

function leave(street: Street, house: House): void {
  house.recorder.close();
  house.unfinished.breakOff();
  if (house !== street.main) street.remove(house);
}
