import type { Schema } from '../schema.js';
import type { Faults } from './faults/fault-queue.js';
import { BrowserPool } from './headless/browser-pool.js';
import type { BrowserSelector, HeadlessSignInOptions } from './headless/headless-browser.js';
import { PAGE_PATHS } from './http/paths.js';
import { type ClientRegistration, checkRegistration, type RegisteredClient } from './options/client-registration.js';
import { defaultClients } from './options/default-clients.js';
import { type GrantExpiry, type GrantSelector, grantExpiry, grantSelector } from './options/grant-selector.js';
import { type SiteEnvironment, siteEnvironment } from './options/site-environment.js';
import { validate } from './options/validate.js';
import { checkSession, type SessionCheck } from './protocol/session-state.js';
import type { ProviderInstance } from './provider-instance.js';
import type { Problem } from './recording/problems.js';
import type { RecordedLogin, RecordedRequests } from './recording/recorded-request.js';
import { type Report, reportOn } from './recording/report.js';
import { type TraceOptions, traceOf } from './recording/trace.js';
import { createApp, type MockProviderApp } from './server/app.js';
import { createFetch, type MockFetch } from './server/fetch.js';
import { createLocalExchange } from './server/local-exchange.js';
import type { ServedInstance } from './server/served-instance.js';
import type { Clinicians } from './state/clinician.js';
import type { MockClock } from './state/clock.js';
import type { Grant } from './state/grants.js';
import type { Inbox } from './state/inbox.js';
import type { Keys } from './state/keys.js';

/** A running mock provider, which is the whole service in this process. */
export interface MockProvider {
  /** The address of the authorization server, the service's {auth_url}. */
  readonly issuer: string;
  /** The address of the resource API, the service's {base_url}. */
  readonly apiURL: string;
  /** The address of the share-button script. */
  readonly shareScriptURL: string;
  /**
   * With `https: true` the certificate of the authority in PEM, for `clinicianLogin({ ca })`; otherwise undefined. It is limited to
   * loopback names. Its server key is published with this package: do not add it to the trust store of a system.
   */
  readonly ca: string | undefined;
  /** Two default clients, with every scope and any loopback redirect URI. */
  readonly clients: Readonly<Record<'openid' | 'profile', RegisteredClient>>;
  /**
   * The environment variables of a site with the default openid client: `Object.assign(process.env, provider.env)`, before you
   * load a site that reads them. `mock-provider --env` prints them.
   */
  readonly env: SiteEnvironment;
  /** Registers a client with exact redirect URIs and, unless `scope` has more, the default scope of its flow. Throws for invalid options. */
  registerClient(registration: ClientRegistration): RegisteredClient;
  /** Blacklists an application: the resource API and userinfo send it no response. */
  blacklist(clientID: string): void;
  /** Removes an application from the blacklist. */
  unblacklist(clientID: string): void;
  readonly clinicians: Clinicians;
  readonly clock: MockClock;
  readonly faults: Faults;
  readonly keys: Keys;
  /** The recorded requests and responses, with secrets masked. */
  readonly requests: RecordedRequests;
  /** The recorded requests grouped by login, with the outcome of each login. Each access returns a new snapshot. */
  readonly logins: readonly RecordedLogin[];
  /** The messages sent from the page that the share button opens. */
  readonly inbox: Inbox;
  /** The reason, rule and fix of each refusal. */
  readonly problems: readonly Problem[];
  /** Checks what the client under test did since the start or the last `reset()`. It changes nothing. */
  report(): Report;
  /** @returns the exchange, or one login, as a Mermaid sequence diagram without secrets, for the output of a failed test. */
  trace(options?: TraceOptions): string;
  /** Signs a clinician in without a browser. @returns the URL that the provider redirects back to */
  signIn(authorizeURL: string, options: HeadlessSignInOptions): Promise<string>;
  /**
   * Follows a logout request (OpenID Connect RP-Initiated Logout 1.0) in a browser that signed in.
   * @param selector the `browser` of `signIn()`, or the clinician who signed in without one
   * @returns the URL that the provider redirects back to
   */
  signOut(logoutURL: string, selector: BrowserSelector): Promise<string>;
  /** Ends the sessions of a clinician at the provider, in every browser. Tokens remain valid. @returns the number of sessions */
  endSessions(username: string): number;
  /**
   * Revokes codes and tokens, as the clinician can at the service: `revokeGrants({ username: 'verified' })`.
   * @returns the number of grants
   */
  revokeGrants(selector: GrantSelector): number;
  /**
   * Ends tokens without moving the clock: `expireGrants({ username: 'verified', tokens: 'access' })`. Default: all tokens.
   * @returns the number of grants
   */
  expireGrants(expiry: GrantExpiry): number;
  /** @returns the reply of the session check page to a message from a page of this origin. */
  checkSession(message: { clientID: string; sessionState: string; origin: string }): SessionCheck;
  /** A fetch without a socket, for the provider's own addresses. It does not follow redirects. */
  readonly fetch: MockFetch;
  /** The request handler, for supertest or to mount in Express. */
  readonly app: MockProviderApp;
  /** Clears logins, tokens, consents, faults and records, and resets the clock. Clients and added clinicians remain. */
  reset(): void;
  /** Stops the provider and closes every connection. A second call has no effect. */
  stop(): Promise<void>;
  /** Calls {@link stop}: `await using provider = await startMockProvider()`. */
  [Symbol.asyncDispose](): Promise<void>;
}

function registered(client: RegisteredClient): RegisteredClient {
  const { clientID, clientSecret, flow, scope, redirectURIs, postLogoutRedirectURIs } = client;
  return { clientID, clientSecret, flow, scope, redirectURIs, postLogoutRedirectURIs };
}

/** @returns the selected grants. Throws a TypeError for an invalid selector, and for an unknown clinician or client. */
function selectGrants<S extends GrantSelector>(
  { accounts, clients, grants }: ProviderInstance,
  caller: string,
  schema: Schema<S>,
  selector: S,
): readonly Grant[] {
  validate(schema, selector, `The argument of ${caller}`);
  if (selector.username !== undefined) accounts.known(selector.username);
  if (selector.clientID !== undefined) clients.known(selector.clientID);
  return grants.select(selector);
}

/** @returns the methods that change or read the state of a provider. */
function methodsOf(instance: ProviderInstance, browsers: BrowserPool) {
  const { issuer, accounts, clients, grants, recorder, problems, sessions } = instance;
  return {
    registerClient(registration: ClientRegistration) {
      const checked = checkRegistration(registration, new URL(issuer).hostname);
      clients.add(checked);
      return registered(checked);
    },
    blacklist: (clientID: string) => {
      clients.known(clientID).isBlacklisted = true;
    },
    unblacklist: (clientID: string) => clients.known(clientID).unblacklist(),
    report: () => reportOn(recorder.exchanges, clients),
    trace: (options: TraceOptions = {}) =>
      traceOf({ exchanges: recorder.exchanges, logins: recorder.logins, problems: problems.list }, options),
    signIn: async (authorizeURL: string, options: HeadlessSignInOptions) =>
      browsers.get(options).signIn(authorizeURL, options),
    signOut: async (logoutURL: string, selector: BrowserSelector) => browsers.get(selector).signOut(logoutURL),
    endSessions: (username: string) => sessions.endAllOf(accounts.known(username).username),
    revokeGrants(selector: GrantSelector) {
      const selected = selectGrants(instance, 'revokeGrants()', grantSelector, selector);
      for (const grant of selected) grants.revoke(grant);
      return selected.length;
    },
    expireGrants(expiry: GrantExpiry) {
      const selected = selectGrants(instance, 'expireGrants()', grantExpiry, expiry);
      for (const grant of selected) grants.expire(grant, expiry.tokens);
      return selected.length;
    },
    checkSession: (message: Parameters<typeof checkSession>[0]) => checkSession(message, sessions.values()),
    reset() {
      instance.reset();
      browsers.clear();
    },
  };
}

/** Creates the public object of a provider. */
export function createProvider(
  served: ServedInstance,
  ca: string | undefined,
  stop: () => Promise<void>,
): MockProvider {
  const { instance } = served;
  const { issuer, apiURL, recorder } = instance;
  const exchange = createLocalExchange(served);
  const shareScriptURL = issuer + PAGE_PATHS.shareScript;
  const browsers = new BrowserPool(issuer, exchange, (name) => instance.accounts.known(name).password);

  return {
    ...methodsOf(instance, browsers),
    fetch: createFetch(exchange),
    issuer,
    apiURL,
    shareScriptURL,
    env: siteEnvironment({ issuer, apiURL, shareScriptURL }, defaultClients.openid),
    ca,
    clients: { openid: registered(defaultClients.openid), profile: registered(defaultClients.profile) },
    clinicians: instance.accounts,
    clock: instance.clock,
    faults: instance.faults,
    keys: instance.keys,
    requests: recorder.list,
    get logins() {
      return recorder.logins;
    },
    inbox: instance.inbox,
    problems: instance.problems.list,
    app: createApp(served, issuer === apiURL ? undefined : 'issuer'),
    stop,
    [Symbol.asyncDispose]: stop,
  };
}
