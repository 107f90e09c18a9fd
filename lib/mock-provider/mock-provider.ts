import { createApp, type MockProviderApp } from './app.js';
import { Browsers } from './browsers.js';
import type { Clinicians } from './clinician.js';
import type { MockClock } from './clock.js';
import type { Faults } from './faults/fault-queue.js';
import { createFetch, type MockFetch } from './fetch.js';
import { buildHouse, type House, resetHouse } from './house.js';
import { createDesk, mayInspect } from './inspector/desks.js';
import type { Keys } from './keys.js';
import type { MockProviderOptions } from './options.js';
import { PAGE_PATHS } from './pages/paths.js';
import { checkSession, type SessionCheck } from './protocol/session-state.js';
import { readyMade } from './ready-made-clients.js';
import type { Problem } from './records/problems.js';
import type { RecordedLogin, RecordedRequests } from './records/recorded-request.js';
import { type Report, reportOn } from './records/report.js';
import { type TraceOptions, traceOf } from './records/trace.js';
import { resolveOptions } from './resolve-options.js';
import { type Listening, listen } from './server.js';
import { listenForShareScript, shareScriptAlone } from './share-server.js';
import { type ClientRegistration, checkRegistration, type RegisteredClient } from './stores/client-registration.js';
import type { Inbox } from './stores/inbox.js';
import { type Person, UserAgent, type Whose } from './user-agent.js';

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
export type { ClientRegistration, RegisteredClient } from './stores/client-registration.js';
export type { Inbox, InboxMessage } from './stores/inbox.js';
export type { ClinicianName, Person, Whose } from './user-agent.js';

/** A running mock provider: the whole service in this process, strict and stateful. */
export interface MockProvider {
  /** The authorization server's address, the spec's {auth_url}. */
  readonly issuer: string;
  /** The resource API's address, the spec's {base_url}. */
  readonly apiURL: string;
  /** Where the share-button script is, the spec's {share_script_url}. */
  readonly shareScriptURL: string;
  /** The certificate of the authority to trust, in PEM: with `https: true` alone. Give it to `clinicianLogin({ ca })`. */
  readonly ca: string | undefined;
  /** Two clients ready to use: every scope allowed, any loopback redirect URI accepted. */
  readonly clients: Readonly<Record<'openid' | 'profile', RegisteredClient>>;
  /** Registers a client, strictly: exact redirect URIs, and only the scope that its flow has by default unless `scope` says more. */
  registerClient(registration: ClientRegistration): RegisteredClient;
  /** Blacklists an application: no response can be obtained from the API any more (decision 98). */
  blacklist(clientID: string): void;
  /** Takes an application off the blacklist. */
  readmit(clientID: string): void;
  readonly clinicians: Clinicians;
  readonly clock: MockClock;
  readonly faults: Faults;
  readonly keys: Keys;
  /** What was asked and answered, secrets masked. */
  readonly requests: RecordedRequests;
  /** The same, login by login: from the authorization request to the last use of its tokens, and how each login ended. */
  logins(): readonly RecordedLogin[];
  /** What was sent from the new-message page, where the share button leads. */
  readonly inbox: Inbox;
  /** Why each refusal happened. */
  readonly problems: readonly Problem[];
  /** A linter for the client under test: what it did wrong since the start or the last `reset()`. It changes nothing. */
  report(): Report;
  /** What was asked and answered, or one login of it, as a Mermaid sequence diagram without secrets: for a failed test's output. */
  trace(options?: TraceOptions): string;
  /** Signs a clinician in without a browser. @returns the address that they are sent back to. */
  signIn(authorizeURL: string, person: Person): Promise<string>;
  /**
   * Follows an application's logout request (OpenID Connect RP-Initiated Logout 1.0) in a browser that signed in.
   * @param whose the browser that was given to `signIn()`, or the clinician who signed in without one
   * @returns the address that the clinician is sent back to.
   */
  signOut(logoutURL: string, whose: Whose): Promise<string>;
  /** @returns what the session iframe would reply to a poller on a page of this origin (decisions 70 and 71). */
  checkSession(poller: { clientID: string; sessionState: string; origin: string }): SessionCheck;
  /** A fetch that answers without a socket, for the provider's own addresses. Redirects are handed on, never followed. */
  readonly fetch: MockFetch;
  /** The handler itself: for supertest, or to mount in Express. */
  readonly app: MockProviderApp;
  /** Forgets all that happened: logins, tokens, consents, faults, records, and moves the clock back. Clients and added clinicians stay. */
  reset(): void;
  /** Ends it; nothing is left open. */
  stop(): Promise<void>;
}

function registered({
  clientID,
  clientSecret,
  flow,
  scope,
  redirectURIs,
  postLogoutRedirectURIs,
}: RegisteredClient): RegisteredClient {
  return { clientID, clientSecret, flow, scope, redirectURIs, postLogoutRedirectURIs };
}

function* browserStates({ sessions }: House): Generator<string> {
  for (const { browserState } of sessions.open()) yield browserState;
}

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
    const house = buildHouse(resolved, resolved.publicURL ?? server.origin, server.port);
    const provider = handle(house, server, await listenForShareScript(resolved), resolved.https?.ca);
    house.desk = createDesk(house, provider, { control: resolved.control, inspector: mayInspect(resolved) });
    return provider;
  } catch (error) {
    await server.close();
    throw error;
  }
}

function handle(
  house: House,
  server: Listening,
  shareServer: Listening | undefined,
  ca: string | undefined,
): MockProvider {
  const { issuer } = house;
  const mockFetch = createFetch(house);
  const app = createApp(house);
  server.answerWith(app);
  shareServer?.answerWith(shareScriptAlone(app));
  const passwordOf = (name: string) => house.accounts.get(name).password;
  const browsers = new Browsers(() => new UserAgent(issuer, mockFetch, passwordOf));
  return {
    issuer,
    apiURL: issuer,
    shareScriptURL: (shareServer?.origin ?? issuer) + PAGE_PATHS.shareScript,
    ca,
    clients: { openid: registered(readyMade.openid), profile: registered(readyMade.profile) },
    registerClient(registration) {
      const checked = checkRegistration(registration);
      house.clients.add(checked);
      return registered(checked);
    },
    blacklist: (clientID) => house.clients.blacklist(clientID),
    readmit: (clientID) => house.clients.readmit(clientID),
    clinicians: house.accounts,
    clock: house.clock,
    faults: house.faults,
    keys: house.keys,
    requests: house.recorder.list,
    logins: () => house.recorder.logins(),
    inbox: house.inbox,
    problems: house.problems.list,
    report: () => reportOn(house.recorder.entries, house.clients),
    trace: (options = {}) =>
      traceOf(
        { entries: house.recorder.entries, logins: house.recorder.logins(), problems: house.problems.list },
        options,
      ),
    signIn: async (authorizeURL, person) => {
      house.accounts.get(person.as);
      return browsers.of(person).signIn(authorizeURL, person);
    },
    signOut: async (logoutURL, whose) => {
      if (whose.browser === undefined) house.accounts.get(whose.as);
      return browsers.of(whose).signOut(logoutURL);
    },
    checkSession: (poller) => checkSession(poller, browserStates(house)),
    fetch: mockFetch,
    app,
    reset() {
      resetHouse(house);
      browsers.clear();
    },
    async stop() {
      house.recorder.close();
      await Promise.all([server.close(), shareServer?.close()]);
    },
  };
}
