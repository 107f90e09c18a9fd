import { FaultQueue } from './faults/fault-queue.js';
import { Cookies } from './http/cookies.js';
import { senderProblem } from './http/local-sender.js';
import { PendingResponses } from './http/pending-responses.js';
import type { MockRequest } from './http/request.js';
import { defaultClients } from './options/default-clients.js';
import { PERSONAS } from './options/personas.js';
import { isReachable, type ResolvedOptions } from './options/resolve-provider-options.js';
import { ProblemLog } from './recording/problems.js';
import { Recorder } from './recording/recorder.js';
import { AccountStore } from './state/accounts.js';
import { ClientStore } from './state/clients.js';
import { createClock, type MockClock } from './state/clock.js';
import { ConsentStore } from './state/consents.js';
import { FormTokenStore } from './state/form-tokens.js';
import { GrantStore } from './state/grants.js';
import { InboxStore } from './state/inbox.js';
import { InteractionStore } from './state/interactions.js';
import { KeyRing } from './state/keys.js';
import { RateLimiter } from './state/rate-limiter.js';
import { SessionStore } from './state/sessions.js';

/** Selects the options that change how the provider behaves. */
export type BehaviorOptions = Pick<ResolvedOptions, 'issParameter' | 'spelling' | 'verification'>;

/** The stores of a provider. Only the wiring and the observers use all of them. */
export interface ProviderInstance {
  /** The address of the authorization server, without a trailing slash. */
  readonly issuer: string;
  /** The address of the resource API, without a trailing slash. */
  readonly apiURL: string;
  /** The path of the issuer, without a trailing slash: empty for a provider at the root. */
  readonly prefix: string;
  readonly options: BehaviorOptions;
  /** The address of the inspector, if there is one. */
  readonly inspectorURL: string | undefined;
  /** True for a request from a browser that may open the inspector. */
  readonly mayInspect: (http: MockRequest) => boolean;
  readonly cookies: Cookies;
  readonly clock: MockClock;
  readonly keys: KeyRing;
  readonly clients: ClientStore;
  readonly accounts: AccountStore;
  readonly grants: GrantStore;
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore;
  readonly consents: ConsentStore;
  readonly forms: FormTokenStore;
  readonly inbox: InboxStore;
  readonly rates: RateLimiter;
  readonly faults: FaultQueue;
  readonly problems: ProblemLog;
  readonly recorder: Recorder;
  readonly pendingResponses: PendingResponses;
}

const ONE_HOUR_MS = 3_600_000;

/** Where a provider is reached. */
interface Addresses {
  readonly issuer: string;
  /** The port of the server of the issuer. */
  readonly port: number;
  /** The origin of the resource API. */
  readonly apiOrigin: string;
  /** The address of the inspector, if there is one. */
  readonly inspectorURL: string | undefined;
}

export function createInstance(options: ResolvedOptions, addresses: Addresses): ProviderInstance {
  const { issuer, port, apiOrigin, inspectorURL } = addresses;
  const hasInspector = inspectorURL !== undefined;
  const sweep = () => {
    for (const store of [grants, sessions, interactions, forms, rates]) store.sweep();
  };
  const clock = createClock(sweep);
  const { lifetimes, rateLimit } = options;
  const prefix = new URL(issuer).pathname.replace(/\/$/, '');
  const apiURL = apiOrigin + prefix;
  const grants = new GrantStore(clock, lifetimes);
  const sessions = new SessionStore(clock, lifetimes.session);
  const interactions = new InteractionStore(clock, ONE_HOUR_MS);
  const forms = new FormTokenStore(clock, ONE_HOUR_MS);
  const rates = new RateLimiter(clock, rateLimit.limit, rateLimit.window);
  const accounts = new AccountStore(clock);
  const clients = new ClientStore(new URL(issuer).hostname);
  for (const persona of PERSONAS) {
    const photo = persona.profilePhoto?.startsWith('/') && { profilePhoto: apiURL + persona.profilePhoto };
    accounts.addValid({ ...persona, ...photo });
  }
  for (const clinician of options.clinicians) accounts.addValid(clinician);
  for (const client of Object.values(defaultClients)) clients.add(client);
  for (const client of options.clients) clients.add(client);
  return {
    issuer,
    apiURL,
    prefix,
    options,
    inspectorURL,
    mayInspect: (http) => hasInspector && senderProblem(issuer, http) === undefined,
    cookies: new Cookies({ port, prefix, secure: issuer.startsWith('https:') }),
    clock,
    keys: new KeyRing(clock, lifetimes.accessToken.openid),
    clients,
    accounts,
    grants,
    sessions,
    interactions,
    consents: new ConsentStore(),
    forms,
    inbox: new InboxStore(),
    rates,
    faults: new FaultQueue({ issParameter: options.issParameter, isClient: (id) => clients.get(id) !== undefined }),
    problems: new ProblemLog(),
    recorder: new Recorder(clock, clients, hasInspector && !isReachable(options.host)),
    pendingResponses: new PendingResponses(),
  };
}

/** Clears logins, tokens, consents, faults and records, and resets the clock. Clients and added clinicians remain. */
export function resetInstance(instance: ProviderInstance): void {
  instance.clock.reset();
  const { grants, sessions, interactions, consents, forms, inbox, rates, faults, problems, recorder } = instance;
  const stores = [grants, sessions, interactions, consents, forms, inbox, rates, faults, problems, recorder];
  for (const store of stores) store.clear();
  for (const store of [instance.keys, instance.accounts, instance.clients]) store.reset();
}
