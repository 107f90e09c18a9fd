import { hash } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { BoundedMap } from '../async/bounded-map.js';
import type { Clock } from '../async/clock.js';
import { type Transaction, transactionSecrets } from '../authorization-server/authorization-request.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { flows, formatScope, parseScope } from '../authorization-server/flows.js';
import { denied } from '../errors/denials.js';
import { ERROR_CLASSES } from '../errors/error-codes.js';
import { ClinicianError, TransactionError } from '../errors/errors.js';
import { defined } from '../http/json.js';
import type { Cookie, Cookies } from '../sealing/cookies.js';
import type { Derive } from '../sealing/sealer.js';
import { randomText, type Secret } from '../sealing/secret.js';
import { type MemberTypes, parseStored } from '../sealing/stored-data.js';
import type { SessionLogin } from '../session/logins.js';
import type { SessionRequest, SiteSession } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import {
  type AttemptState,
  authorizationParameters,
  isSilent,
  type LoginOptions,
  nextScope,
  type SiteScope,
} from './login-request.js';
import {
  isFromOtherSite,
  isOwnNavigation,
  isPageFetch,
  isSameOrigin,
  type ReturnToSite,
  returnToPath,
} from './same-origin.js';

/** One login attempt. @internal */
export interface Attempt extends Transaction {
  returnTo?: string;
  appState: AttemptState;
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

interface AttemptsOptions extends ReturnToSite, Omit<SiteScope, 'optionalScope'> {
  issuer: string;
  clientID: string;
  callbackURL: string;
  server: Pick<AuthorizationServer, 'request'>;
  cookies: Cookies;
  loginSession: Pick<SiteSession, 'belongsToOtherUser' | 'find'>;
  tokens: Pick<Tokens, 'idToken'>;
  clock: Clock;
}

/** How long a user may take to sign in, in milliseconds: long enough to create an account first. */
const LIFETIME_MS = 30 * 60 * 1000;
const MAX_CONSUMED = 100_000;
/** Their cookies, one with the longest `returnTo`, fit into a line of 8 kB of request headers, the default of nginx. */
const MAX_ATTEMPTS = 10;
/** The maximum length of `returnTo` from another site, in a browser that has another attempt, and with an ID Token in the URL. */
const SHORT_RETURN_TO_LENGTH = 250;
const PREFIX = 'tx-';
const STATE_BYTES = 32;
/** The URL and the cookie of the attempt fit into 4 kB of response headers, the default of nginx. */
const MAX_HINT_LENGTH = 1200;
/** The values of `Sec-Fetch-Dest` for a document inside of another one. */
const FRAMES: ReadonlySet<unknown> = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);

/**
 * The login attempts in progress, each in its own sealed cookie: no session is needed, and tabs are independent. The cookie opens
 * with the issuer, client, redirect URI and `state` that it was set for. `nonce` and the code verifier are derived from these and
 * the secret that has sealed it. For the drop-in and for the Passport strategy. @internal
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  /** The states of the attempts that were taken, with the time until which their cookies are accepted. */
  readonly #consumed = new BoundedMap<string, number>(MAX_CONSUMED);

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /**
   * Checks the options, starts an attempt and saves it in the browser. @param extra additional parameters of the request
   * @returns the URL to redirect the user to
   */
  async start(
    req: SessionRequest,
    res: ServerResponse,
    { returnTo, ...options }: LoginOptions,
    state: AttemptState,
    extra?: Record<string, string>,
  ): Promise<string> {
    const { server, flow, origin } = this.#options;
    refuseFrame(req);
    refuseScript(req);
    refuseForeignForm(req, origin);
    const parameters = authorizationParameters(options, flow, extra);
    const isOwn = isOwnNavigation(req, origin);
    const path = returnTo === undefined ? undefined : this.#pathOf(req, returnTo, options);
    const isLinked = !isSilent(options.prompt) && isFromOtherSite(req, origin);
    const isLong = (path?.length ?? 0) > SHORT_RETURN_TO_LENGTH;
    const mayHint = !isLinked && !isLong && options.idTokenHint === undefined;
    const idTokenHint = mayHint ? await this.#idTokenOf(req, options) : undefined;
    const protocolState = randomText(STATE_BYTES);
    const cookie = this.#cookieOf(protocolState);
    const { url, transaction } = await server.request(
      {
        ...parameters,
        ...(idTokenHint && { idTokenHint }),
        scope: parameters.scope ?? nextScope(this.#options, this.#loginOf(req)?.scope ?? []),
      },
      this.#secretsOf(protocolState, cookie.deriver()),
    );
    this.#makeRoom(req, res);
    const { createdAt, scope, prompt, maxAge } = transaction;
    save(cookie, res, {
      createdAt,
      scope: formatScope(scope),
      ...defined({ prompt, maxAge, returnTo: path }),
      ...state,
      ...(!isOwn && { fromOtherSite: true }),
    });
    noStore(res);
    return url;
  }

  /** @returns the attempt of this browser that a response belongs to. It is not used up. */
  find(req: SessionRequest, response: URLSearchParams): Attempt | undefined {
    const state = singleState(response);
    const opened = state === undefined ? undefined : this.#cookieOf(state).readToDerive(req);
    if (state === undefined || opened === undefined) return undefined;
    const saved: SavedAttempt | undefined = parseStored(opened.plain, savedMembers);
    if (saved === undefined) return undefined;
    const { createdAt, scope, prompt, maxAge, returnTo, ...appState } = saved;
    const secrets = this.#secretsOf(state, opened.derive);
    return { ...secrets, createdAt, scope: parseScope(scope), ...defined({ prompt, maxAge, returnTo }), appState };
  }

  /**
   * Uses an attempt up. `state` is checked before anything else of the response is read.
   * @param attempt what {@link find} has returned for the response
   * @returns the attempt, once. Throws a {@link TransactionError} for a response to none of this browser.
   */
  take(req: SessionRequest, res: ServerResponse, response: URLSearchParams, attempt: Attempt | undefined): Attempt {
    noStore(res);
    const state = singleState(response);
    if (state === undefined) throw stateMissing();
    const cookie = this.#cookieOf(state);
    if (attempt === undefined) throw cookie.isOfUnknownSecret(req) ? secretUnknown() : transactionMissing();
    cookie.clear(req, res);
    this.#refuseSecondUse(attempt);
    if (this.#options.clock.now() - attempt.createdAt <= LIFETIME_MS) return attempt;
    throw new TransactionError('transaction_expired', 'This sign-in was started too long ago. Start again.');
  }

  /**
   * @returns the ID Token of the current login, for an attempt that repeats it or checks it: the service fills in the sign-in name
   * (service spec, GET /oauth/authorize), and others do not ask which account to use (OIDC Core section 3.1.2.1)
   */
  async #idTokenOf(req: SessionRequest, { prompt, maxAge }: LoginOptions): Promise<Secret | undefined> {
    const prompts = parseScope(prompt);
    const repeats = maxAge !== undefined || prompts.includes('login') || prompts.includes('none');
    const login = repeats && !prompts.includes('create') && this.#loginOf(req);
    // A token store that is unavailable does not prevent the login.
    const idToken = login ? await this.#options.tokens.idToken(login.grantID).catch(() => undefined) : undefined;
    return idToken && idToken.reveal().length <= MAX_HINT_LENGTH ? idToken : undefined;
  }

  #cookieOf(state: string): Cookie {
    const { cookies, issuer, clientID, callbackURL } = this.#options;
    const context = [issuer, clientID, callbackURL, state];
    // The name is not secret.
    return cookies.sealed(PREFIX + hash('sha256', state, 'base64url').slice(0, 16), LIFETIME_MS / 1000, context);
  }

  #pathOf(req: SessionRequest, returnTo: string, { idTokenHint }: LoginOptions): string {
    const { cookies, origin } = this.#options;
    const path = returnToPath(returnTo, this.#options);
    // Not for another site: requests at the same time do not see each other's attempt.
    const mayBeLong =
      idTokenHint === undefined && isOwnNavigation(req, origin) && cookies.ofAllInstances(req, PREFIX).length === 0;
    return mayBeLong || path.length <= SHORT_RETURN_TO_LENGTH ? path : '/';
  }

  #secretsOf(state: string, derive: Derive) {
    return transactionSecrets(flows[this.#options.flow], state, derive);
  }

  /** Removes the oldest attempts, so that the host has at most ten. Only a page of this site, or the address bar, can remove any. */
  #makeRoom(req: SessionRequest, res: ServerResponse): void {
    const { cookies, origin } = this.#options;
    const others = cookies.ofAllInstances(req, PREFIX);
    if (others.length < MAX_ATTEMPTS) return;
    if (!isOwnNavigation(req, origin)) {
      throw new TransactionError(
        'too_many_transactions',
        "Too many sign-ins were started from another site. Start from one of this site's own pages.",
      );
    }
    // A request with more has cookies that this package has not set.
    cookies.remove(res, others.slice(0, Math.min(others.length - MAX_ATTEMPTS + 1, MAX_ATTEMPTS)));
  }

  /** Throws for a second use: two requests with one state can arrive before the browser has removed its cookie. */
  #refuseSecondUse({ state }: Attempt): void {
    const now = this.#options.clock.now();
    for (const [other, expiresAt] of this.#consumed) {
      if (expiresAt > now) break;
      this.#consumed.delete(other);
    }
    if (this.#consumed.has(state)) throw transactionMissing();
    this.#consumed.set(state, now + LIFETIME_MS);
  }

  /** @returns the login of the session, unless Passport has signed in another user since. */
  #loginOf(req: SessionRequest): SessionLogin | undefined {
    const { loginSession } = this.#options;
    const login = loginSession.find(req);
    return login && !loginSession.belongsToOtherUser(req, login) ? login : undefined;
  }
}

/** @returns true when a query contains an authorization response, even an incomplete one. */
export function isAuthorizationResponse(query: URLSearchParams): boolean {
  return ['code', 'error', 'state', 'id_token', 'access_token'].some((name) => query.has(name));
}

/** @returns the `state` of a response; undefined unless there is exactly one. */
function singleState(response: URLSearchParams): string | undefined {
  const [state, another] = response.getAll('state');
  return another === undefined && state ? state : undefined;
}

/** Throws for a request that a frame sends: the service allows no authorization request there (spec, Authentication 4). */
function refuseFrame({ headers }: SessionRequest): void {
  if (!FRAMES.has(headers['sec-fetch-dest'])) return;
  throw denied('framed_sign_in');
}

/** Throws for a request of a script or of an element, which cannot show the pages of the service. Browsers send both headers. */
function refuseScript({ headers }: SessionRequest): void {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination } = headers;
  const isFetched = (mode !== 'navigate' && destination !== undefined) || isPageFetch(headers);
  if (!isFetched && headers['x-requested-with'] !== 'XMLHttpRequest') return;
  const message =
    'A script requested the sign-in, but only a window can show it: use a link, or location.assign() with this address.';
  throw new ClinicianError(message, { code: 'login_link_invalid', ...ERROR_CLASSES.ClinicianError });
}

/** Throws for a form that no page of this site sends: its request lacks a `SameSite=Lax` session, so no user seems signed in. */
function refuseForeignForm(req: SessionRequest, origin: string): void {
  if (req.method === 'GET' || req.method === 'HEAD' || isSameOrigin(req, origin)) return;
  throw denied('cross_site_request');
}

function save(cookie: Cookie, res: ServerResponse, attempt: SavedAttempt): void {
  if (cookie.set(res, JSON.stringify(attempt))) return;
  throw new TransactionError(
    'transaction_too_large',
    'This sign-in contains too much data for a cookie: shorten state.',
  );
}

function noStore(res: ServerResponse): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
}

function stateMissing(): TransactionError {
  return new TransactionError(
    'transaction_missing',
    "The authorization response must contain exactly one 'state'. Start the sign-in again.",
  );
}

function transactionMissing(): TransactionError {
  return new TransactionError(
    'transaction_missing',
    'This sign-in was not started in this browser, is already finished, or its cookie is blocked. Allow cookies for this site and start again.',
  );
}

function secretUnknown(): TransactionError {
  return new TransactionError(
    'transaction_secret_unknown',
    'This sign-in was started by a server whose secret this server does not have. Start again.',
  );
}
