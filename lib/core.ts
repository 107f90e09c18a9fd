import { type AuthorizationServer, createAuthorizationServer } from './authorization-server/authorization-server.js';
import { Cookies } from './cookies.js';
import { type ClinicianEventListener, Events } from './events.js';
import type { Fetch } from './http.js';
import type { ResolvedOptions } from './options/resolve-options.js';
import { watchFetch } from './outages.js';
import { createPendingWork, type PendingWork } from './pending-work.js';
import { createRequestLimits, type RequestLimits } from './resource-api/resource-api.js';
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
    server: trackRequests(createAuthorizationServer({ ...options, fetch, redirectURI }), work),
  };
}

/** @returns a server that tracks its token requests and revocations, and starts no token request after the close. */
function trackRequests(server: AuthorizationServer, work: PendingWork): AuthorizationServer {
  return {
    ...server,
    redeem: (response, transaction) => work.start(() => server.redeem(response, transaction)),
    refresh: (tokens) => work.start(() => server.refresh(tokens)),
    revoke: (token) => work.track(server.revoke(token)),
  };
}
