import { FaultQueue } from './faults/fault-queue.js';
import { Cookies } from './http/cookies.js';
import { senderProblem } from './http/local-sender.js';
import { PendingResponses } from './http/pending-responses.js';
import type { MockRequest } from './http/request.js';
import { defaultClients } from './options/default-clients.js';
import { PERSONAS } from './options/personas.js';
import { isReachable, type ResolvedOptions } from './options/resolve-provider-options.js';
import { IDTokens } from './protocol/id-token.js';
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

const ONE_HOUR_MS = 3_600_000;
/** Any client can request a page; above the limit a new one replaces the oldest. */
const MAX_PAGES = 100_000;

/** Where a provider is reached. */
interface Addresses {
  /** The address of the authorization server, without a trailing slash. */
  readonly issuer: string;
  /** The port of the server of the issuer. */
  readonly port: number;
  /** The origin of the resource API. */
  readonly apiOrigin: string;
  /** The address of the inspector, if there is one. */
  readonly inspectorURL: string | undefined;
}

/** The addresses and the stores of a provider. Only the wiring and the observers use all of them. */
export class ProviderInstance {
  readonly options: ResolvedOptions;
  /** The address of the authorization server, without a trailing slash. */
  readonly issuer: string;
  /** The path of the issuer, without a trailing slash: empty for a provider at the root. */
  readonly prefix: string;
  /** The address of the resource API, without a trailing slash. */
  readonly apiURL: string;
  /** The address of the inspector, if there is one. */
  readonly inspectorURL: string | undefined;
  readonly clock: MockClock = createClock(() => this.#sweep());
  readonly clients: ClientStore;
  readonly accounts: AccountStore = new AccountStore(this.clock);
  readonly grants: GrantStore;
  readonly keys: KeyRing;
  readonly idTokens: IDTokens;
  readonly sessions: SessionStore;
  readonly interactions: InteractionStore = new InteractionStore(this.clock, ONE_HOUR_MS, MAX_PAGES);
  readonly forms: FormTokenStore = new FormTokenStore(this.clock, ONE_HOUR_MS, MAX_PAGES);
  readonly consents: ConsentStore = new ConsentStore();
  readonly inbox: InboxStore = new InboxStore();
  readonly rates: RateLimiter;
  readonly cookies: Cookies;
  readonly faults: FaultQueue;
  readonly problems: ProblemLog = new ProblemLog();
  readonly recorder: Recorder;
  readonly pendingResponses: PendingResponses = new PendingResponses();

  constructor(options: ResolvedOptions, { issuer, port, apiOrigin, inspectorURL }: Addresses) {
    const { lifetimes, rateLimit, issParameter } = options;
    const { pathname, hostname, protocol } = new URL(issuer);
    const hasInspector = inspectorURL !== undefined;
    this.options = options;
    this.issuer = issuer;
    this.prefix = pathname.replace(/\/$/, '');
    this.apiURL = apiOrigin + this.prefix;
    this.inspectorURL = inspectorURL;
    this.clients = new ClientStore(hostname);
    this.grants = new GrantStore(this.clock, lifetimes);
    this.keys = new KeyRing(this.clock, lifetimes.accessToken.openid);
    this.idTokens = new IDTokens(issuer, this.keys, this.grants);
    this.sessions = new SessionStore(this.clock, lifetimes.session);
    this.rates = new RateLimiter(this.clock, rateLimit.limit, rateLimit.window);
    this.cookies = new Cookies({ port, prefix: this.prefix, secure: protocol === 'https:' });
    this.faults = new FaultQueue({ issParameter, isClient: (id) => this.clients.get(id) !== undefined });
    this.recorder = new Recorder(this.clock, this.clients, hasInspector && !isReachable(options.host));
    for (const persona of PERSONAS) {
      const photo = persona.profilePhoto?.startsWith('/') && { profilePhoto: this.apiURL + persona.profilePhoto };
      this.accounts.addValid({ ...persona, ...photo });
    }
    for (const clinician of options.clinicians) this.accounts.addValid(clinician);
    for (const client of [...Object.values(defaultClients), ...options.clients]) this.clients.add(client);
  }

  /** @returns true for a request from a browser that may open the inspector. */
  readonly mayInspect = (http: MockRequest): boolean =>
    this.inspectorURL !== undefined && senderProblem(this.issuer, http) === undefined;

  /** Clears logins, tokens, consents, faults and records, and resets the clock. Clients and added clinicians remain. */
  reset(): void {
    this.clock.reset();
    const { grants, sessions, interactions, consents, forms, inbox, rates, faults, problems, recorder } = this;
    const stores = [grants, sessions, interactions, consents, forms, inbox, rates, faults, problems, recorder];
    for (const store of stores) store.clear();
    for (const store of [this.keys, this.accounts, this.clients]) store.reset();
  }

  #sweep(): void {
    for (const store of [this.grants, this.sessions, this.interactions, this.forms, this.rates]) store.sweep();
  }
}
