import type { ServerResponse } from 'node:http';
import { BoundedMap } from '../async/bounded-map.js';
import type { Clock } from '../async/clock.js';
import { type Transaction, transactionID } from '../authorization-server/authorization-request.js';
import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { type FlowName, flows, parseScope, type Scope } from '../authorization-server/flows.js';
import { denied } from '../errors/denials.js';
import { TransactionError } from '../errors/errors.js';
import type { Cookies, SealedCookie } from '../sealing/cookies.js';
import type { Secret } from '../sealing/secret.js';
import type { LoginSession } from '../session/login-session.js';
import type { SessionLogin } from '../session/logins.js';
import type { SessionRequest } from '../session/site-session.js';
import type { Tokens } from '../session/tokens.js';
import { type AttemptState, authorizationParameters, type LoginOptions } from './login-request.js';
import { isFromOtherSite, maxReturnToLength, returnToPath, SHORT_RETURN_TO_LENGTH } from './same-origin.js';

/** One login attempt: what its cookie contains between the authorization request and the response. @internal */
export interface Attempt extends Transaction {
  appState: AttemptState;
}

interface AttemptsOptions {
  server: Pick<AuthorizationServer, 'request'>;
  cookies: Cookies;
  loginSession: Pick<LoginSession, 'belongsToOtherUser' | 'find'>;
  flow: FlowName;
  tokens: Pick<Tokens, 'idToken'>;
  scope: Scope;
  origin: string;
  clock: Clock;
}

/** How long a user may take to sign in, in milliseconds: long enough to create an account first. */
const LIFETIME_MS = 30 * 60 * 1000;
const MAX_CONSUMED = 100_000;
const PREFIX = 'tx-';
/** The URL and the cookie of the attempt, with a short `returnTo`, fit into 4 kB of headers, the default of nginx. */
const MAX_HINT_LENGTH = 1200;
/** The values of `Sec-Fetch-Dest` for a document inside of another one. */
const FRAMES: ReadonlySet<unknown> = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);

/**
 * The login attempts in progress, each in its own sealed cookie: no session is needed, and tabs are independent. For the drop-in
 * and for the Passport strategy. @internal
 */
export class Attempts {
  readonly #options: AttemptsOptions;
  /** The ids of the attempts that were taken, with the time until which their cookies are accepted. */
  readonly #consumed = new BoundedMap<string, number>(MAX_CONSUMED);

  constructor(options: AttemptsOptions) {
    this.#options = options;
  }

  /**
   * Checks the options, starts an attempt and saves it in the browser. Older attempts are removed if the cookies would be too long
   * together. @param extra additional parameters of the request
   * @returns the URL to redirect the user to
   */
  async start(
    req: SessionRequest,
    res: ServerResponse,
    { returnTo, switchUser, ...options }: LoginOptions,
    state: AttemptState,
    extra?: Record<string, string>,
  ): Promise<string> {
    refuseFrame(req);
    const { server, flow, origin } = this.#options;
    const parameters = authorizationParameters(options, flow, extra);
    const fromOtherSite = isFromOtherSite(req, origin) || undefined;
    const path = returnTo === undefined ? undefined : returnToPath(returnTo, origin, maxLengthOf(req, options, origin));
    const changesUser = switchUser || state.confirmed !== undefined;
    const mayHint = !changesUser && options.idTokenHint === undefined && (path?.length ?? 0) <= SHORT_RETURN_TO_LENGTH;
    const idTokenHint = mayHint ? await this.#idTokenOf(req, options) : undefined;
    const { url, transaction } = await server.request({
      ...parameters,
      ...(idTokenHint && { idTokenHint }),
      scope: parameters.scope ?? this.#nextScope(req),
      appState: {
        ...state,
        fromOtherSite,
        ...(switchUser && !fromOtherSite && { switchUser }),
      },
      ...(path !== undefined && { returnTo: path }),
    });
    this.#save(req, res, transaction);
    noStore(res);
    return url;
  }

  /** @returns the attempt of this browser that a response belongs to. It is not used up. */
  find(req: SessionRequest, response: URLSearchParams): Attempt | undefined {
    const state = singleState(response);
    return state === undefined ? undefined : this.#read(req, transactionID(state), state);
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
    const cookie = this.#cookieOf(transactionID(state));
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

  #cookieOf(id: string): SealedCookie {
    return this.#options.cookies.sealed(PREFIX + id, LIFETIME_MS / 1000);
  }

  #read(req: SessionRequest, id: string, state?: string): Attempt | undefined {
    const value = this.#cookieOf(id).read(req);
    if (value === undefined) return undefined;
    const attempt = JSON.parse(value) as Attempt;
    return state === undefined || attempt.state === state ? attempt : undefined;
  }

  #save(req: SessionRequest, res: ServerResponse, transaction: Transaction): void {
    const cookie = this.#cookieOf(transaction.id);
    const value = JSON.stringify(transaction);
    if (!this.#makeRoom(req, res, cookie.bytes(value))) {
      throw new TransactionError(
        'transaction_too_large',
        'This sign-in contains too much data for a cookie: shorten returnTo or state.',
      );
    }
    cookie.set(res, value);
  }

  /**
   * Removes the oldest attempts of any instance on this host until a cookie of this many bytes fits. A page of another site
   * cannot remove any. @returns false if it does not fit
   */
  #makeRoom(req: SessionRequest, res: ServerResponse, bytes: number | undefined): boolean {
    const { cookies, origin } = this.#options;
    if (bytes === undefined) return false;
    if (cookies.hasRoom(req, res, bytes)) return true;
    if (isFromOtherSite(req, origin)) {
      throw new TransactionError(
        'too_many_transactions',
        "Too many sign-ins were started from another site. Start from one of this site's own pages.",
      );
    }
    return cookies.makeRoom(req, res, bytes);
  }

  /** Throws for a second use: two requests with one state can arrive before the browser has removed its cookie. */
  #refuseSecondUse({ id }: Attempt): void {
    const now = this.#options.clock.now();
    for (const [other, expiresAt] of this.#consumed) {
      if (expiresAt > now) break;
      this.#consumed.delete(other);
    }
    if (this.#consumed.has(id)) throw transactionMissing();
    this.#consumed.set(id, now + LIFETIME_MS);
  }

  /** @returns the login of the session, unless Passport has signed in another user since. */
  #loginOf(req: SessionRequest): SessionLogin | undefined {
    const { loginSession } = this.#options;
    const login = loginSession.find(req);
    return login && !loginSession.belongsToOtherUser(req, login) ? login : undefined;
  }

  /** @returns the scope of a login that names none: the site's own, and what the current login was granted. */
  #nextScope(req: SessionRequest): Scope {
    const { flow, scope } = this.#options;
    const granted = this.#loginOf(req)?.scope ?? [];
    return parseScope([...scope, ...granted.filter((token) => flows[flow].knownScopes.includes(token))]);
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

/** The ID Token of `idTokenHint` is in the redirect, too. */
function maxLengthOf(req: SessionRequest, { idTokenHint }: LoginOptions, origin: string): number {
  return idTokenHint === undefined ? maxReturnToLength(req, origin) : SHORT_RETURN_TO_LENGTH;
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
