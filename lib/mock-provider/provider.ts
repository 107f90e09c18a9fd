import type { Faults } from './faults/fault-queue.js';
import { BrowserPool } from './headless/browser-pool.js';
import { type BrowserSelector, HeadlessBrowser, type HeadlessSignInOptions } from './headless/headless-browser.js';
import { type ClientRegistration, checkRegistration, type RegisteredClient } from './options/client-registration.js';
import { defaultClients } from './options/default-clients.js';
import type { SandboxOptions } from './options/options.js';
import { PAGE_PATHS } from './pages/paths.js';
import { checkSession, type SessionCheck } from './protocol/session-state.js';
import { type ProviderInstance, resetInstance } from './provider-instance.js';
import type { Problem } from './recording/problems.js';
import type { RecordedLogin, RecordedRequests } from './recording/recorded-request.js';
import { type Report, reportOn } from './recording/report.js';
import { type TraceOptions, traceOf } from './recording/trace.js';
import { createApp, type MockProviderApp } from './server/app.js';
import { createFetch, type MockFetch } from './server/fetch.js';
import type { InstanceRegistry, RouteTarget, ServedInstance } from './server/instance-registry.js';
import type { Clinicians } from './state/clinician.js';
import type { MockClock } from './state/clock.js';
import type { Inbox } from './state/inbox.js';
import type { Keys } from './state/keys.js';

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
  unblacklist(clientID: string): void;
  readonly clinicians: Clinicians;
  readonly clock: MockClock;
  readonly faults: Faults;
  readonly keys: Keys;
  /** What was asked and answered, secrets masked. */
  readonly requests: RecordedRequests;
  /** The recorded requests grouped by login, with the outcome of each login: a snapshot, computed at each access. */
  readonly logins: readonly RecordedLogin[];
  /** What was sent from the new-message page, where the share button leads. */
  readonly inbox: Inbox;
  /** Why each refusal happened. */
  readonly problems: readonly Problem[];
  /** A linter for the client under test: what it did wrong since the start or the last `reset()`. It changes nothing. */
  report(): Report;
  /** What was asked and answered, or one login of it, as a Mermaid sequence diagram without secrets: for a failed test's output. */
  trace(options?: TraceOptions): string;
  /** Signs a clinician in without a browser. @returns the address that they are sent back to. */
  signIn(authorizeURL: string, person: HeadlessSignInOptions): Promise<string>;
  /**
   * Follows an application's logout request (OpenID Connect RP-Initiated Logout 1.0) in a browser that signed in.
   * @param whose the browser that was given to `signIn()`, or the clinician who signed in without one
   * @returns the address that the clinician is sent back to.
   */
  signOut(logoutURL: string, whose: BrowserSelector): Promise<string>;
  /** @returns what the session iframe would reply to a poller on a page of this origin (decisions 70 and 71). */
  checkSession(poller: { clientID: string; sessionState: string; origin: string }): SessionCheck;
  /** A fetch that answers without a socket, for the provider's own addresses. Redirects are handed on, never followed. */
  readonly fetch: MockFetch;
  /** The handler itself: for supertest, or to mount in Express. */
  readonly app: MockProviderApp;
  /**
   * A provider of its own below this one's address, on the same port: own clients, clinicians, clock, faults, keys and records.
   * For tests that run at the same time: what is done in one is seen in no other. `stop()` takes it away; the provider's own
   * `stop()` takes all of them. One that is asked of a sandbox stands beside it.
   * @param options as for {@link startMockProvider}, which was given the defaults; what concerns the address cannot be chosen
   */
  sandbox(options?: SandboxOptions): MockProvider;
  /** Forgets all that happened: logins, tokens, consents, faults, records, and moves the clock back. Clients and added clinicians stay. */
  reset(): void;
  /** Ends it, with all that is still to be answered; nothing is left open. Stopping twice is fine. */
  stop(): Promise<void>;
  /** `await using provider = await startMockProvider()` stops it at the end of the block, where the language has that. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** What a provider shares with its sandboxes, and how it is served. */
export interface ProviderDependencies {
  readonly registry: InstanceRegistry;
  readonly served: ServedInstance;
  /** The origin of the share-button script. */
  readonly shareOrigin: string;
  readonly ca: string | undefined;
  sandbox(options?: SandboxOptions): MockProvider;
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

function* browserStates({ sessions }: ProviderInstance): Generator<string> {
  for (const { browserState } of sessions.open()) yield browserState;
}

/** Creates the public handle of a provider or a sandbox. */
export function createProvider(instance: ProviderInstance, dependencies: ProviderDependencies): MockProvider {
  const { issuer } = instance;
  const { registry, served, shareOrigin, ca, sandbox, stop } = dependencies;
  const isOwn = served === registry.main ? undefined : (to: RouteTarget) => to !== 'stopped' && to.instance === served;
  const mockFetch = createFetch(registry, issuer, isOwn);
  const passwordOf = (name: string) => instance.accounts.get(name).password;
  const browsers = new BrowserPool(() => new HeadlessBrowser(issuer, mockFetch, passwordOf));
  return {
    issuer,
    apiURL: issuer,
    shareScriptURL: shareOrigin + instance.prefix + PAGE_PATHS.shareScript,
    ca,
    clients: { openid: registered(defaultClients.openid), profile: registered(defaultClients.profile) },
    registerClient(registration) {
      const checked = checkRegistration(registration);
      instance.clients.add(checked);
      return registered(checked);
    },
    blacklist: (clientID) => instance.clients.blacklist(clientID),
    unblacklist: (clientID) => instance.clients.unblacklist(clientID),
    clinicians: instance.accounts,
    clock: instance.clock,
    faults: instance.faults,
    keys: instance.keys,
    requests: instance.recorder.list,
    get logins() {
      return instance.recorder.logins;
    },
    inbox: instance.inbox,
    problems: instance.problems.list,
    report: () => reportOn(instance.recorder.exchanges, instance.clients),
    trace: (options = {}) =>
      traceOf(
        { exchanges: instance.recorder.exchanges, logins: instance.recorder.logins, problems: instance.problems.list },
        options,
      ),
    signIn: async (authorizeURL, person) => {
      instance.accounts.get(person.as);
      return browsers.get(person).signIn(authorizeURL, person);
    },
    signOut: async (logoutURL, whose) => {
      if (whose.browser === undefined) instance.accounts.get(whose.as);
      return browsers.get(whose).signOut(logoutURL);
    },
    checkSession: (poller) => checkSession(poller, browserStates(instance)),
    fetch: mockFetch,
    app: createApp(registry, isOwn),
    sandbox,
    reset() {
      resetInstance(instance);
      browsers.clear();
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
