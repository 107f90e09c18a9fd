import { createPendingWork, type PendingWork } from './async/pending-work.js';
import type { Transaction } from './authorization-server/authorization-request.js';
import { AuthorizationServer } from './authorization-server/authorization-server.js';
import type { AuthorizationServerOptions } from './authorization-server/client-config.js';
import type { TokenSet } from './authorization-server/token-set.js';
import { type ClinicianEventListener, Events } from './events/events.js';
import { watchFetch } from './events/outages.js';
import type { ResolvedOptions } from './options/resolve-options.js';
import { createRequestLimits, type RequestLimits } from './resource-api/resource-api.js';
import { Cookies } from './sealing/cookies.js';
import type { Secret } from './sealing/secret.js';
import { createClose } from './session/close.js';
import { LoginSession } from './session/login-session.js';
import { Attempts } from './sign-in/attempts.js';
import { CallbackHost, type CallbackHostPaths } from './sign-in/callback-host.js';
import { Identification } from './sign-in/identify.js';
import { instanceID } from './token-vault/token-store.js';

/** The options of the sign-in, and what the drop-in and a strategy of Passport both need. @internal */
export interface Core extends ResolvedOptions {
  /** See `instanceID()`. */
  instance: string;
  events: Events;
  onUnknownSecret: () => void;
  cookies: Cookies;
  limits: RequestLimits;
  work: PendingWork;
  server: AuthorizationServer;
  loginSession: LoginSession;
  callbackHost: CallbackHost;
  attempts: Attempts;
  identification: Identification;
  close: () => Promise<void>;
}

/** @param paths the paths of the drop-in in the browser */
export function createCore(
  options: ResolvedOptions,
  onEvent: ClinicianEventListener | undefined,
  paths?: CallbackHostPaths,
): Core {
  const { clock, flow, callbackURL: redirectURI } = options;
  const instance = instanceID(options);
  const events = new Events({ clock, flow, onEvent });
  const fetch = watchFetch(options.fetch, events.outages);
  const onUnknownSecret = () => events.reportUnknownSecret();
  const cookies = new Cookies({ ...options, onUnknownSecret, instance });
  const limits = createRequestLimits({ clock });
  const work = createPendingWork();
  const server = new TrackedServer({ ...options, fetch, redirectURI }, work);
  const loginSession = new LoginSession(instance, events.outages);
  const callbackHost = new CallbackHost({ ...options, events, ...paths });
  return {
    ...options,
    instance,
    events,
    fetch,
    onUnknownSecret,
    cookies,
    limits,
    work,
    server,
    loginSession,
    callbackHost,
    attempts: new Attempts({ ...options, server, cookies, loginSession, callbackHost }),
    identification: new Identification({ ...options, fetch, events, limits }),
    close: createClose({ ...options, work, events }),
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
