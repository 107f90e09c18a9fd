import { PendingWork } from './async/work.js';
import { AuthorizationServer } from './authorization-server/authorization-server.js';
import { type ClinicianEventListener, Events } from './events/events.js';
import { type ClinicianHealth, createHealth } from './health.js';
import type { ServiceClient } from './options/resolve-options.js';
import type { Site } from './options/site.js';
import { RequestLimits } from './resource-api/request-limits.js';
import { Cookies } from './sealing/cookies.js';
import type { Secret } from './sealing/sealer.js';
import { Logins } from './session/logins.js';
import { ServiceLogout } from './session/service-logout.js';
import { SignOut } from './session/sign-out.js';
import { SiteSession } from './session/site-session.js';
import { Tokens, warnOfMemoryStore } from './session/tokens.js';
import { Visits } from './session/visit.js';
import { Attempts } from './sign-in/attempts.js';
import { Identification } from './sign-in/identify.js';
import { instanceID, type TokenStore } from './token-vault/token-store.js';

/** The options of the drop-in, checked and with their defaults. @internal */
export interface CoreOptions extends Site, ServiceClient {
  secrets: readonly Secret[];
  profileRequired: boolean;
  onEvent: ClinicianEventListener | undefined;
  tokenStore: TokenStore;
  idleTimeout: number;
  absoluteTimeout: number;
  /** See `ownRoutesOf()`. */
  ownRoutes: ReadonlySet<string>;
  postLogoutRedirectURI: string | undefined;
}

/** What the routes of the drop-in work with. @internal */
export interface Core {
  /** See `instanceID()`. */
  instance: string;
  events: Events;
  onUnknownSecret: () => void;
  cookies: Cookies;
  limits: RequestLimits;
  work: PendingWork;
  server: AuthorizationServer;
  visits: Visits;
  loginSession: SiteSession;
  attempts: Attempts;
  identification: Identification;
  tokens: Tokens;
  logins: Logins;
  signOut: SignOut;
  serviceLogout: ServiceLogout;
  health: () => Promise<ClinicianHealth>;
  close: () => Promise<void>;
}

/** Creates the parts of a sign-in and connects them. */
export function createCore(options: CoreOptions): Core {
  const { callbackURL: redirectURI, clock, tokenStore, ownRoutes, profileRequired, fetch } = options;
  const instance = instanceID(options);
  const events = new Events(options);
  const onUnknownSecret = () => events.reportUnknownSecret();
  const cookies = new Cookies({ site: options, instance, secrets: options.secrets, onUnknownSecret });
  const limits = new RequestLimits({ clock });
  const work = new PendingWork();
  const server = new AuthorizationServer({ ...options, redirectURI }, options.fetch, work);
  const common = { ...options, instance, events, onUnknownSecret, cookies, limits, work, server };
  warnOfMemoryStore(tokenStore);
  const tokens = new Tokens({ ...common, store: tokenStore });
  const logins = new Logins({ ...common, tokens });
  const visits = new Visits(options, instance, logins, events);
  const loginSession = new SiteSession(visits, cookies);
  const shared = { ...common, visits, loginSession };
  return {
    ...shared,
    attempts: new Attempts({ site: options, ownRoutes, server, cookies, session: loginSession, tokens }),
    identification: new Identification({ site: options, profileRequired, fetch, events, limits }),
    tokens,
    logins,
    signOut: new SignOut({ loginSession, tokens, events, work }),
    serviceLogout: new ServiceLogout(shared),
    health: createHealth({
      ...shared,
      revocations: tokens.revocations,
      checkStore: () => tokens.vault.checkStore(),
    }),
    close: createClose(options, work, events),
  };
}

/** The time to store the tokens of a token response that arrives at its time limit. */
const STORE_TIME_MS = 2_000;

/**
 * @returns the function `close()` of an instance. It never rejects, so that the site closes its stores afterwards. Meanwhile no tokens
 * are requested: a process that ends during a refresh signs the user out.
 */
function createClose({ timeout, closeConnections }: CoreOptions, work: PendingWork, events: Events) {
  async function close(): Promise<void> {
    const isComplete = await work.close(timeout + STORE_TIME_MS);
    if (!isComplete) events.report('close_incomplete');
    closeConnections();
  }
  let closing: Promise<void> | undefined;
  return () => {
    closing ??= close();
    return closing;
  };
}
