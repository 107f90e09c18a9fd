import { FaultQueue } from './faults/fault-queue.js';
import { PendingResponses } from './http/pending-responses.js';
import { defaultClients } from './options/default-clients.js';
import { PERSONAS } from './options/personas.js';
import type { ResolvedOptions } from './options/resolve-options.js';
import { atPath } from './options/schema.js';
import { ProblemLog } from './recording/problems.js';
import { Recorder } from './recording/recorder.js';
import type { AdminHandler } from './server/admin-handler.js';
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

/** What the options say about how the provider behaves. */
export type Rules = Pick<
  ResolvedOptions,
  | 'issParameter'
  | 'sessionStateOnErrors'
  | 'logoutRevokesTokens'
  | 'apiCORS'
  | 'blacklisted'
  | 'spelling'
  | 'verification'
> & { readonly countNotModified: boolean; readonly blacklistAfter: number };

/** Everything that one provider holds; the endpoints are functions of it and a request. */
export interface ProviderInstance {
  /** The authorization server's address, without a slash at its end. */
  readonly issuer: string;
  /** The issuer's path, without a slash at its end: empty for a house that has an address to itself. */
  readonly prefix: string;
  readonly port: number;
  /** True when cookies can be Secure. */
  readonly secure: boolean;
  readonly rules: Rules;
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
  /** What answers at the paths that are no part of the service. */
  adminHandler?: AdminHandler;
}

const AN_HOUR = 3_600_000;

export function createInstance(options: ResolvedOptions, issuer: string, port: number): ProviderInstance {
  const sweep = () => {
    for (const store of [grants, sessions, interactions, forms, rates]) store.sweep();
  };
  const clock = createClock(sweep);
  const { lifetimes, rateLimit } = options;
  const grants = new GrantStore(clock, lifetimes);
  const sessions = new SessionStore(clock, lifetimes.session);
  const interactions = new InteractionStore(clock, AN_HOUR);
  const forms = new FormTokenStore(clock, AN_HOUR);
  const rates = new RateLimiter(clock, rateLimit.limit, rateLimit.window);
  const accounts = new AccountStore(clock);
  const clients = new ClientStore();
  for (const persona of PERSONAS) accounts.add(persona);
  for (const [index, clinician] of options.clinicians.entries()) {
    atPath(['clinicians', index], () => accounts.add(clinician));
  }
  for (const client of Object.values(defaultClients)) clients.add(client);
  for (const [index, client] of options.clients.entries()) atPath(['clients', index], () => clients.add(client));
  return {
    issuer,
    prefix: new URL(issuer).pathname.replace(/\/$/, ''),
    port,
    secure: issuer.startsWith('https:'),
    rules: { ...options, ...rateLimit },
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
    recorder: new Recorder(clock, clients),
    pendingResponses: new PendingResponses(),
  };
}

/** Forgets all that happened. Clients and added clinicians stay. */
export function resetInstance(instance: ProviderInstance): void {
  instance.clock.reset();
  const { grants, sessions, interactions, consents, forms, inbox, rates, faults, problems, recorder } = instance;
  const stores = [grants, sessions, interactions, consents, forms, inbox, rates, faults, problems, recorder];
  for (const store of stores) store.clear();
  for (const store of [instance.keys, instance.accounts, instance.clients]) store.reset();
}
