import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createApp, type MockProviderApp } from './app.js';
import type { Clinicians } from './clinician.js';
import { createClock, type MockClock } from './clock.js';
import { FaultQueue, type Faults } from './faults/fault-queue.js';
import type { House } from './house.js';
import { KeyRing, type Keys } from './keys.js';
import { RateLimiter } from './middleware/rate-limiter.js';
import { type MockProviderOptions, type ResolvedOptions, resolveOptions } from './options.js';
import { PERSONAS } from './personas.js';
import { type Problem, ProblemLog } from './problems.js';
import { type RecordedRequests, Recorder } from './recorder.js';
import { AccountStore } from './stores/accounts.js';
import { type ClientRegistration, checkRegistration, type RegisteredClient } from './stores/client-registration.js';
import { ClientStore } from './stores/clients.js';
import { ConsentStore } from './stores/consents.js';
import { FormTokenStore } from './stores/form-tokens.js';
import { GrantStore } from './stores/grants.js';
import { type Inbox, InboxStore } from './stores/inbox.js';
import { InteractionStore } from './stores/interactions.js';
import { SessionStore } from './stores/sessions.js';
import { type Person, UserAgent } from './user-agent.js';

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
export type { FaultOptions, Faults } from './faults/fault-queue.js';
export type { FaultName } from './faults/faults.js';
export type { FlowName } from './flow.js';
export type { Keys } from './keys.js';
export type { MockProviderOptions } from './options.js';
export type { Problem } from './problems.js';
export type { RecordedRequest, RecordedRequests } from './recorder.js';
export type { ClientRegistration, RegisteredClient } from './stores/client-registration.js';
export type { Inbox, InboxMessage } from './stores/inbox.js';
export type { Person } from './user-agent.js';

/** A running mock provider: the whole service in this process, strict and stateful. */
export interface MockProvider {
  /** The authorization server's address, the spec's {auth_url}. */
  readonly issuer: string;
  /** The resource API's address, the spec's {base_url}. */
  readonly apiURL: string;
  /** Where the share-button script is, the spec's {share_script_url}. */
  readonly shareScriptURL: string;
  /** Two clients ready to use: every scope allowed, any loopback redirect URI accepted. */
  readonly clients: Readonly<Record<'openid' | 'profile', RegisteredClient>>;
  /** Registers a client, strictly: exact redirect URIs, and only the scope that its flow has by default unless `scope` says more. */
  registerClient(registration: ClientRegistration): RegisteredClient;
  readonly clinicians: Clinicians;
  readonly clock: MockClock;
  readonly faults: Faults;
  readonly keys: Keys;
  /** What was asked and answered, secrets masked. */
  readonly requests: RecordedRequests;
  /** What was sent from the new-message page, where the share button leads. */
  readonly inbox: Inbox;
  /** Why each refusal happened. */
  readonly problems: readonly Problem[];
  /** Signs a clinician in without a browser. @returns the address that they are sent back to. */
  signIn(authorizeURL: string, person: Person): Promise<string>;
  /** The handler itself: for supertest, or to mount in Express. */
  readonly app: MockProviderApp;
  /** Forgets all that happened: logins, tokens, consents, faults, records, and moves the clock back. Clients and added clinicians stay. */
  reset(): void;
  /** Ends it; nothing is left open. */
  stop(): Promise<void>;
}

function readyMade(flow: 'openid' | 'profile') {
  const scope = flow === 'openid' ? 'openid basic colleagues email search' : 'basic colleagues email search';
  const registration = checkRegistration({
    flow,
    scope,
    clientID: `ready-made-${flow}`,
    clientSecret: `ready-made-${flow}-secret`,
    name: 'Your application',
    developer: 'ready-made',
    redirectURIs: ['http://127.0.0.1/callback'],
  });
  return { ...registration, anyLoopbackURI: true };
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

function build(options: ResolvedOptions, issuer: string): House {
  let house: House | undefined;
  const clock = createClock(() => {
    for (const store of [house?.grants, house?.sessions, house?.interactions, house?.forms]) store?.sweep();
  });
  const { lifetimes, rateLimit, spelling, verification } = options;
  house = {
    issuer,
    clock,
    spelling,
    verification,
    secure: issuer.startsWith('https:'),
    keys: new KeyRing(),
    clients: new ClientStore(),
    accounts: new AccountStore(clock),
    grants: new GrantStore(clock, lifetimes),
    sessions: new SessionStore(clock, lifetimes.session),
    interactions: new InteractionStore(clock, 3_600_000),
    consents: new ConsentStore(),
    forms: new FormTokenStore(clock, 3_600_000),
    inbox: new InboxStore(),
    problems: new ProblemLog(),
    faults: new FaultQueue(),
    rates: new RateLimiter(clock, rateLimit.limit, rateLimit.window),
  };
  for (const persona of PERSONAS) house.accounts.add(persona);
  for (const clinician of options.clinicians) house.accounts.add(clinician);
  return house;
}

function listen(server: Server, port: number, host: string): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'EADDRINUSE'
          ? new Error(`Port ${port} is in use. Choose another one, or 0 for any that is free.`)
          : error,
      );
    });
    server.listen(port, host, () => resolve(server.address() as AddressInfo));
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
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
  let app: MockProviderApp = (_req, res) => res.destroy();
  const server = createServer((req, res) => app(req, res));
  const { port } = await listen(server, resolved.port, resolved.host);
  const host = resolved.host.includes(':') ? `[${resolved.host}]` : resolved.host;
  const issuer = `http://${host}:${port}`;
  const house = build(resolved, issuer);
  const recorder = new Recorder();
  app = createApp(house, recorder);

  const registerClient = (registration: ClientRegistration): RegisteredClient => {
    const checked = checkRegistration(registration);
    house.clients.add(checked);
    return registered(checked);
  };
  const ready = { openid: readyMade('openid'), profile: readyMade('profile') };
  for (const client of Object.values(ready)) house.clients.add(client);
  for (const registration of resolved.clients) registerClient(registration);

  const people = new Map<string, UserAgent>();
  return {
    issuer,
    apiURL: issuer,
    shareScriptURL: `${issuer}/share-button.js`,
    clients: { openid: registered(ready.openid), profile: registered(ready.profile) },
    registerClient,
    clinicians: house.accounts,
    clock: house.clock,
    faults: house.faults,
    keys: house.keys,
    requests: recorder.list,
    inbox: house.inbox,
    problems: house.problems.list,
    signIn(authorizeURL, person) {
      house.accounts.get(person.as);
      const agent = people.get(person.as) ?? new UserAgent(issuer, fetch, (name) => house.accounts.get(name).password);
      people.set(person.as, agent);
      return agent.signIn(authorizeURL, person);
    },
    app,
    reset() {
      house.clock.reset();
      const stores = [
        house.grants,
        house.sessions,
        house.interactions,
        house.consents,
        house.forms,
        house.inbox,
        house.rates,
        house.faults,
        house.problems,
        recorder,
      ];
      for (const store of stores) store.clear();
      house.keys.reset();
      house.accounts.reset();
      house.clients.reset();
      people.clear();
    },
    stop: () => close(server),
  };
}
