import type { Transaction } from './authorization-server/authorization-request.js';
import { AuthorizationServer } from './authorization-server/authorization-server.js';
import type { AuthorizationServerOptions } from './authorization-server/client-config.js';
import type { TokenSet } from './authorization-server/token-set.js';
import { Cookies } from './cookies.js';
import { type ClinicianEventListener, Events } from './events.js';
import type { Fetch } from './http.js';
import type { ResolvedOptions } from './options/resolve-options.js';
import { watchFetch } from './outages.js';
import { createPendingWork, type PendingWork } from './pending-work.js';
import { createRequestLimits, type RequestLimits } from './resource-api/resource-api.js';
import type { Secret } from './secret.js';
import { instanceID } from './token-vault/token-store.js';

/** What the drop-in and a strategy of Passport need first. @internal */
export interface Core {
  /** See `instanceID()`. */
  instance: string;
  events: Events;
  /** The site's fetch, whose outages are reported. */
  fetch: Fetch;
  cookies: Cookies;
  onUnknownSecret: () => void;
  limits: RequestLimits;
  work: PendingWork;
  server: AuthorizationServer;
}

export function createCore(options: ResolvedOptions, onEvent: ClinicianEventListener | undefined): Core {
  const { clock, flow, callbackURL: redirectURI } = options;
  const instance = instanceID(options);
  const events = new Events({ clock, flow, onEvent });
  const fetch = watchFetch(options.fetch, events.outages);
  const onUnknownSecret = () => events.reportUnknownSecret();
  const work = createPendingWork();
  return {
    ...{ instance, events, fetch, onUnknownSecret, work },
    cookies: new Cookies({ ...options, onUnknownSecret, instance }),
    limits: createRequestLimits({ clock }),
    server: new TrackedServer({ ...options, fetch, redirectURI }, work),
  };
}

/** Tracks the token requests and revocations, and starts no token request after the close. */
class TrackedServer extends AuthorizationServer {
  readonly #work: PendingWork;

  constructor(options: AuthorizationServerOptions, work: PendingWork) {
    super(options);
    this.#work = work;
  }

  override redeem(response: URLSearchParams, transaction: Transaction): Promise<TokenSet> {
    return this.#work.start(() => super.redeem(response, transaction));
  }

  override refresh(tokens: TokenSet): Promise<TokenSet> {
    return this.#work.start(() => super.refresh(tokens));
  }

  override revoke(token: Secret): Promise<void> {
    return this.#work.track(super.revoke(token));
  }
}
