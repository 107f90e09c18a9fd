import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { BoundedMap } from '../async/work.js';
import type { Transaction } from '../authorization-server/authorization-request.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { flows, parseScope, transactionSecrets } from '../authorization-server/flows.js';
import { denied } from '../errors/denials.js';
import { ERROR_CLASSES } from '../errors/error-codes.js';
import { ClinicianError, TransactionError } from '../errors/errors.js';
import type { Events } from '../events/events.js';
import { defined } from '../http/json.js';
import type { Site } from '../options/site.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import { type MemberTypes, parseStored, randomText, type Secret } from '../sealing/sealer.js';
import type { SessionLogin } from '../session/logins.js';
import type { Tokens } from '../session/tokens.js';
import type { Visit } from '../session/visit.js';
import { type AttemptState, authorizationParameters, type LoginOptions, nextScope } from './login-request.js';
import { returnToPathsOf } from './return-to.js';

/** One login attempt. @internal */
export interface Attempt extends Transaction {
  returnTo?: string;
  appState: AttemptState;
  cookie: Cookie;
}

/** What the cookie of an attempt contains: what neither is derived nor has to be equal at the callback. */
interface SavedAttempt extends AttemptState, Pick<Attempt, 'createdAt' | 'prompt' | 'maxAge' | 'returnTo'> {
  scope: string;
}

/** `siteState` is any value. */
const savedMembers: MemberTypes<Omit<SavedAttempt, 'siteState'>> = {
  createdAt: 'number',
  scope: 'string',
  prompt: 'string?',
  maxAge: 'number?',
  returnTo: 'string?',
  mode: 'string',
  fromOtherSite: 'boolean?',
  account: 'string?',
};

interface AttemptsOptions {
  site: Site;
  server: Pick<AuthorizationServer, 'request'>;
  cookies: Cookies;
  tokens: Pick<Tokens, 'idToken'>;
  events: Pick<Events, 'emit'>;
}

/** How long a user may take to sign in, in milliseconds: long enough to create an account first. */
const LIFETIME_MS = 30 * 60 * 1000;
const MAX_CONSUMED = 100_000;
/** Their cookies, each with the longest `returnTo`, fit into a line of 8 kB of request headers, the default of nginx. */
const MAX_ATTEMPTS = 10;
const PREFIX = 'tx-';
const STATE_BYTES = 32;
/** The URL and the cookie of the attempt fit into 4 kB of response headers, the default of nginx. */
const MAX_HINT_LENGTH = 1200;
const FRAMES: ReadonlySet<unknown> = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);

/**
 * The login attempts in progress, each in its own sealed cookie: no session is needed, and tabs are independent. The cookie opens
 * with the issuer, client, redirect URI and `state` that it was set for. `nonce` and the code verifier are derived from these and
 * the secret that has sealed it. For the drop-in and for the Passport strategy. @internal
 */
export class Attempts {
  readonly #site: Site;
  readonly #returnToPath: (requested: unknown) => string;
  readonly #server: AttemptsOptions['server'];
  readonly #cookies: Cookies;
  readonly #tokens: AttemptsOptions['tokens'];
  readonly #events: AttemptsOptions['events'];
  /** The states of the attempts that were taken, with the time until which their cookies are accepted. */
  readonly #consumed = new BoundedMap<string, number>(MAX_CONSUMED);

  constructor({ site, server, cookies, tokens, events }: AttemptsOptions) {
    this.#site = site;
    this.#returnToPath = returnToPathsOf(site);
    this.#server = server;
    this.#cookies = cookies;
    this.#tokens = tokens;
    this.#events = events;
  }

  /**
   * Checks the options, starts an attempt and saves it in the browser. @param extra additional parameters of the request
   * @returns the URL to redirect the user to
   */
  async start(
    visit: Visit,
    { returnTo, ...options }: LoginOptions,
    state: AttemptState,
    extra?: Record<string, string>,
  ): Promise<string> {
    refuseFrame(visit);
    refuseScript(visit);
    refuseForeignForm(visit);
    const parameters = authorizationParameters(options, this.#site.flow, extra);
    const { currentLogin: login } = visit;
    const idTokenHint = options.idTokenHint ?? (await this.#idTokenOf(visit, options, login));
    const protocolState = randomText(STATE_BYTES);
    const cookie = this.#cookieOf(protocolState);
    const scope = parameters.scope ?? nextScope(this.#site, login?.scope ?? []);
    const { url, transaction } = await this.#server.request(
      { ...parameters, ...defined({ idTokenHint }), scope },
      transactionSecrets(flows[this.#site.flow], protocolState, cookie.deriver()),
    );
    this.#makeRoom(visit);
    const { createdAt, prompt, maxAge } = transaction;
    save(cookie, visit.res, {
      createdAt,
      scope: transaction.scope.join(' '),
      ...defined({ prompt, maxAge, returnTo: returnTo === undefined ? undefined : this.#returnToPath(returnTo) }),
      ...state,
      ...(!visit.isOwnNavigation && { fromOtherSite: true }),
    });
    noStore(visit.res);
    if (state.mode !== 'check') this.#events.emit('sign_in_started');
    return url;
  }

  /** @returns the attempt of this browser that the response of a request belongs to. It is not used up. */
  find({ req, query }: Visit): Attempt | undefined {
    const state = singleState(query);
    if (state === undefined) return undefined;
    const cookie = this.#cookieOf(state);
    const opened = cookie.readToDerive(req);
    const saved: SavedAttempt | undefined = opened && parseStored(opened.plain, savedMembers);
    if (opened === undefined || saved === undefined) return undefined;
    const { createdAt, scope, prompt, maxAge, returnTo, ...appState } = saved;
    const protocol = { createdAt, scope: parseScope(scope), ...defined({ prompt, maxAge, returnTo }) };
    const secrets = transactionSecrets(flows[this.#site.flow], state, opened.derive);
    return { ...secrets, ...protocol, appState, cookie };
  }

  /**
   * Uses an attempt up. `state` is checked before anything else of the response is read.
   * @param attempt what {@link find} has returned for the request
   * @returns the attempt, once. Throws a {@link TransactionError} for a response to none of this browser.
   */
  take(visit: Visit, attempt: Attempt | undefined): Attempt {
    const { req, res } = visit;
    noStore(res);
    if (attempt === undefined) throw this.#notFound(visit);
    const { state, cookie, createdAt } = attempt;
    cookie.clear(req, res);
    const now = this.#site.clock.now();
    for (const [other, expiresAt] of this.#consumed) {
      if (expiresAt > now) break;
      this.#consumed.delete(other);
    }
    // Two requests with one state can arrive before the browser has removed its cookie.
    if (this.#consumed.has(state)) throw transactionMissing();
    this.#consumed.set(state, now + LIFETIME_MS);
    if (now - createdAt <= LIFETIME_MS) return attempt;
    throw new TransactionError('transaction_expired', 'This sign-in started too long ago. Start again.');
  }

  /**
   * @returns the ID Token of the current login, for an attempt that repeats it or checks it: the service fills in the sign-in name
   * (service spec, GET /oauth/authorize), and others do not ask which account to use (OIDC Core section 3.1.2.1)
   */
  async #idTokenOf(
    visit: Visit,
    { prompt, maxAge }: LoginOptions,
    login: SessionLogin | undefined,
  ): Promise<Secret | undefined> {
    const prompts = parseScope(prompt);
    const repeats = maxAge !== undefined || prompts.includes('login') || prompts.includes('none');
    const isLinked = !prompts.includes('none') && visit.isFromOtherSite;
    if (!login || isLinked || !repeats || prompts.includes('create')) return undefined;
    // A token store that is unavailable does not prevent the login.
    const idToken = await this.#tokens.idToken(login.grantID).catch(() => undefined);
    return idToken && idToken.reveal().length <= MAX_HINT_LENGTH ? idToken : undefined;
  }

  #cookieOf(state: string): Cookie {
    const { issuer, clientID, callbackURL } = this.#site;
    const context = [issuer, clientID, callbackURL, state];
    // The name is not secret.
    const name = PREFIX + hash('sha256', state, 'base64url').slice(0, 16);
    return this.#cookies.sealed(name, LIFETIME_MS / 1000, context);
  }

  /** Removes the oldest attempts, so that the host has at most ten. Only a page of this site, or the address bar, can remove any. */
  #makeRoom({ req, res, isOwnNavigation }: Visit): void {
    const others = this.#cookies.ofAllInstances(req, PREFIX);
    if (others.length < MAX_ATTEMPTS) return;
    if (!isOwnNavigation) {
      throw new TransactionError(
        'too_many_transactions',
        "Another site started too many sign-ins. Start from one of this site's own pages.",
      );
    }
    // A request with more has cookies that this package has not set.
    this.#cookies.remove(res, others.slice(0, Math.min(others.length - MAX_ATTEMPTS + 1, MAX_ATTEMPTS)));
  }

  #notFound({ req, query }: Visit): TransactionError {
    const state = singleState(query);
    if (state === undefined) {
      const message = "The authorization response must contain exactly one 'state'. Start the sign-in again.";
      return new TransactionError('transaction_missing', message);
    }
    if (!this.#cookieOf(state).isOfUnknownSecret(req)) return transactionMissing();
    const message = 'This sign-in was started by a server whose secret this server does not have. Start again.';
    return new TransactionError('transaction_secret_unknown', message);
  }
}

/** @returns true when a query contains an authorization response, even an incomplete one. */
export function isAuthorizationResponse(query: URLSearchParams): boolean {
  for (const name of ['code', 'error', 'state', 'id_token', 'access_token']) if (query.has(name)) return true;
  return false;
}

/** @returns the `state` of a response; undefined unless there is exactly one. */
function singleState(response: URLSearchParams): string | undefined {
  const [state, another] = response.getAll('state');
  return another === undefined && state ? state : undefined;
}

/** Throws for a request that a frame sends: the service allows no authorization request there (spec, Authentication 4). */
function refuseFrame({ req }: Visit): void {
  if (FRAMES.has(req.headers['sec-fetch-dest'])) throw denied('framed_sign_in');
}

/** Throws for a request of a script or of an element, which cannot show the pages of the service. Browsers send both headers. */
function refuseScript({ req, isPageFetch }: Visit): void {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination } = req.headers;
  const isFetched = (mode !== 'navigate' && destination !== undefined) || isPageFetch;
  if (!isFetched && req.headers['x-requested-with'] !== 'XMLHttpRequest') return;
  const message =
    'A script requested the sign-in, but only a window can show it: use a link, or location.assign() with this address.';
  throw new ClinicianError(message, { code: 'login_link_invalid', ...ERROR_CLASSES.ClinicianError });
}

/** Throws for a form that no page of this site sends: its request lacks a `SameSite=Lax` session, so no user seems signed in. */
function refuseForeignForm({ isRead, isSameOrigin }: Visit): void {
  if (!isRead && !isSameOrigin) throw denied('cross_site_request');
}

function save(cookie: Cookie, res: ServerResponse, attempt: SavedAttempt): void {
  if (cookie.set(res, JSON.stringify(attempt))) return;
  throw new TransactionError(
    'transaction_too_large',
    'The state of this sign-in is too long for a cookie. Shorten it.',
  );
}

function noStore(res: ServerResponse): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
}

function transactionMissing(): TransactionError {
  return new TransactionError(
    'transaction_missing',
    'This sign-in started in another browser, is already finished, or its cookie is blocked. Allow cookies for this site and start again.',
  );
}
