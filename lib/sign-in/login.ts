import type { ServerResponse } from 'node:http';
import type { Transaction } from '../authorization-server/authorization-request.js';
import { callbackMalformed } from '../authorization-server/authorization-response.js';
import { type AuthorizationServer, createAuthorizationServer } from '../authorization-server/authorization-server.js';
import { flows } from '../authorization-server/flows.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import type { Cookies } from '../cookies.js';
import { DeniedError, TransactionError } from '../errors.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import type { PendingWork } from '../pending-work.js';
import { parseScope, type Scope } from '../scope.js';
import type { LoginSession } from '../session/login-session.js';
import { queryOf, type SessionRequest } from '../session/site-session.js';
import { type CallbackHost, createCallbackHost } from './callback-host.js';
import { createIdentification, type Identification, type IdentificationOptions } from './identify.js';
import { type Attempt, authorizationParameters, type LoginOptions } from './login-request.js';
import { isFromOtherSite } from './request-source.js';
import { maxReturnToLength, returnToPath, SHORT_RETURN_TO_LENGTH } from './return-to.js';
import { createTransactions, transactionMissing } from './transactions.js';

/** How long a response from a fragment is saved, until the browser opens the callback again: a page may ask the user first. */
const FRAGMENT_LIFETIME_SECONDS = 5 * 60;

/**
 * Runs one login attempt, from the authorization request to the identity: for the drop-in and for the Passport strategy.
 * @internal
 */
export interface Login extends Identification {
  server: AuthorizationServer;
  callbackHost: CallbackHost;
  /**
   * Checks the options, starts an attempt and saves it in the browser. @param extra additional parameters of the request
   * @returns the URL to redirect the user to.
   */
  start(
    req: SessionRequest,
    res: ServerResponse,
    options: LoginOptions,
    attempt: Attempt,
    extra?: Record<string, string>,
  ): Promise<string>;
  /** @returns true for a request with an authorization response, even an incomplete one: in its query, or saved from a fragment. */
  hasResponse(req: SessionRequest): boolean;
  /** @returns true for a browser with an attempt in progress whose response comes in a fragment. */
  awaitsFragment(req: SessionRequest): boolean;
  /**
   * Saves the response in a fragment in a sealed cookie, for the next request of the callback.
   * Throws a {@link TransactionError} for a response to no attempt of this browser with a fragment.
   */
  saveFragment(req: SessionRequest, res: ServerResponse, response: URLSearchParams): void;
  /** @returns the attempt that the response in this request belongs to, without using it up. */
  attemptOf(req: SessionRequest): Attempt | undefined;
  /** @returns the attempt that the `state` of an authorization response names, before anything else of the response is read. */
  consumeTransaction(req: SessionRequest, res: ServerResponse): Transaction;
  /** Validates the authorization response, redeems its code and validates the token response. */
  redeem(req: SessionRequest, transaction: Transaction): Promise<TokenSet>;
}

function stateOf(response: URLSearchParams): string {
  const [state, another] = response.getAll('state');
  if (state && another === undefined) return state;
  throw new TransactionError(
    'state_missing',
    "The authorization response must contain exactly one 'state'. Start the sign-in again.",
  );
}

/** @returns true when a query contains an authorization response, even an incomplete one. */
export function isAuthorizationResponse(query: URLSearchParams): boolean {
  return ['code', 'error', 'state', 'id_token', 'access_token'].some((name) => query.has(name));
}

/** @returns the attempt that {@link Login.start} stored in a transaction. */
export function attemptIn({ appState }: Transaction): Attempt {
  return appState as Attempt;
}

/** The values of `Sec-Fetch-Dest` for a document inside of another one. */
const FRAMES: ReadonlySet<unknown> = new Set(['iframe', 'frame', 'embed', 'object', 'fencedframe']);

/** Throws for a request that a frame sends: the service allows no authorization request there (spec, Authentication 4). */
function refuseFrame({ headers }: SessionRequest): void {
  if (!FRAMES.has(headers['sec-fetch-dest'])) return;
  throw new DeniedError('framed_sign_in', 'The sign-in cannot be shown in a frame. Open this page in its own window.');
}

/** The response in a fragment is saved in a cookie, too, and the ID Token of `idTokenHint` is in the redirect. */
function maxLengthOf(req: SessionRequest, { responseMode, idTokenHint }: LoginOptions, origin: string): number {
  const isShort = responseMode === 'fragment' || idTokenHint !== undefined;
  return isShort ? SHORT_RETURN_TO_LENGTH : maxReturnToLength(req, origin);
}

function noStore(res: ServerResponse): void {
  res.setHeader('Cache-Control', 'no-store');
  res.setHeader('Referrer-Policy', 'no-referrer');
}

/** @returns a server that tracks its token requests and revocations, and starts no token request after the close. */
function trackRequests(server: AuthorizationServer, work: PendingWork): AuthorizationServer {
  return {
    ...server,
    redeem: (callback, transaction) => work.start(() => server.redeem(callback, transaction)),
    refresh: (tokens) => work.start(() => server.refresh(tokens)),
    revoke: (token) => work.track(server.revoke(token)),
  };
}

export function createLogin(
  options: ResolvedOptions &
    IdentificationOptions & {
      cookies: Cookies;
      loginSession: LoginSession;
      work: PendingWork;
      links?: Record<'inBrowser', (req: SessionRequest, path: string) => string> &
        Record<'pathOf', (req: SessionRequest) => string>;
      routes?: { login: string | false };
    },
): Login {
  const { flow, callbackURL, origin, scope, clock, cookies, loginSession, work, links, routes } = options;
  const server = trackRequests(createAuthorizationServer({ ...options, redirectURI: callbackURL }), work);
  const transactions = createTransactions({ cookies, clock, origin });
  const callbackHost = createCallbackHost({
    ...{ callbackURL, events: options.events, inBrowser: links?.inBrowser },
    isLoginRoute: (req) => links !== undefined && links.pathOf(req) === routes?.login,
  });
  const fragment = cookies.sealed('response', FRAGMENT_LIFETIME_SECONDS);

  /** Returns the authorization response of a request: its query, or else what was saved from a fragment. */
  function responseTo(req: SessionRequest): URLSearchParams {
    const query = queryOf(req);
    return isAuthorizationResponse(query) ? query : new URLSearchParams(fragment.read(req));
  }

  /** Returns the scope of a login that names none: the site's own, and what the current login was granted. */
  function nextScope(req: SessionRequest): Scope {
    const granted = loginSession.find(req)?.scope ?? [];
    return parseScope([...scope, ...granted.filter((token) => flows[flow].knownScopes.includes(token))]);
  }

  return {
    ...createIdentification(options),
    server,
    callbackHost,

    async start(req, res, { returnTo, switchUser, ...options }, attempt, extra) {
      refuseFrame(req);
      const parameters = authorizationParameters(options, flow, extra);
      const fromOtherSite = isFromOtherSite(req, origin) || undefined;
      const { url, transaction } = await server.request({
        ...parameters,
        scope: parameters.scope ?? nextScope(req),
        appState: { ...attempt, fromOtherSite, ...(switchUser && !fromOtherSite && { switchUser }) },
        ...(returnTo !== undefined && { returnTo: returnToPath(returnTo, origin, maxLengthOf(req, options, origin)) }),
      });
      transactions.save(req, res, transaction);
      noStore(res);
      return url;
    },

    hasResponse: (req) => isAuthorizationResponse(responseTo(req)),

    awaitsFragment: (req) => transactions.open(req).some(({ responseMode }) => responseMode === 'fragment'),

    saveFragment(req, res, response) {
      const state = stateOf(response);
      if (transactions.peek(req, state)?.responseMode !== 'fragment') throw transactionMissing();
      const value = response.toString();
      const hasRoom = transactions.makeRoom(req, res, fragment.bytes(value), state);
      if (!hasRoom || !fragment.set(res, value)) throw callbackMalformed('it is too long');
    },

    attemptOf(req) {
      const [state, another] = responseTo(req).getAll('state');
      if (!state || another !== undefined) return undefined;
      const transaction = transactions.peek(req, state);
      return transaction && attemptIn(transaction);
    },

    consumeTransaction(req, res) {
      callbackHost.observe(req);
      noStore(res);
      fragment.clear(req, res);
      return transactions.consumeTransaction(req, res, stateOf(responseTo(req)));
    },

    redeem: (req, transaction) => server.redeem(responseTo(req), transaction),
  };
}
