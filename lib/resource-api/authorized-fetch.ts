import type { Clock } from '../clock.js';
import {
  DeniedError,
  isClinicianError,
  ProtocolError,
  ServiceUnavailableError,
  SignInRequiredError,
} from '../errors.js';
import type { Fetch } from '../http.js';
import { abortable, type Pause, pause as pauseFor } from './abortable.js';
import type { RateBudget } from './rate-budget.js';
import { RateLimitedError, rateLimitIn, resetTime } from './rate-limit.js';

/** Where access tokens come from. The token vault fits it, for one grant. */
export interface AccessTokens {
  /** @param refused the access token that the service has just answered with 401 */
  accessToken(refused?: string): Promise<string>;
}

/** What every call of the resource API takes. */
export interface CallOptions {
  /** Gives the call up, wherever it is: the call then rejects with the signal's own reason. */
  signal?: AbortSignal | undefined;
  /**
   * How long the call may wait for the rate limit to be there again, in milliseconds, before it is a RateLimitedError.
   * @default 0, not at all: nobody before a page wants to wait for the end of the hour
   */
  maxWait?: number | undefined;
}

export interface ResourceRequest extends CallOptions {
  /** The scope that the resource needs, for the words of a refusal. Any will do where none is named. */
  scope?: string;
  headers?: Record<string, string>;
  /** Does not count against the rate limit (service spec, "rate_limit"): never waits, and is asked even when nothing is left. */
  free?: boolean;
}

/** A GET on the resource API. @returns the answer with status 200 or 304; throws for every other one. */
export type AuthorizedFetch = (path: string, request: ResourceRequest) => Promise<Response>;

export interface AuthorizedFetchOptions {
  apiURL: string;
  fetch: Fetch;
  tokens: AccessTokens;
  clock: Clock;
  /** What the grant may still ask. */
  budget: RateBudget;
  /** Waits for a turn. @internal */
  pause?: Pause | undefined;
}

interface Sent {
  token: string;
  response: Response;
}

/** RFC 6750 section 2.1: what may follow `Bearer`. Nothing else reaches a header. */
const B64TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

type Send = (path: string, request: ResourceRequest, token: string) => Promise<Response>;

function createSend({ apiURL, fetch }: Pick<AuthorizedFetchOptions, 'apiURL' | 'fetch'>): Send {
  const base = apiURL.replace(/\/+$/, '');

  return async function send(path, request, token) {
    if (!B64TOKEN.test(token)) {
      throw new ProtocolError('access_token_malformed', 'The access token has characters that no header may carry.');
    }
    const headers = { accept: 'application/json', ...request.headers, authorization: `Bearer ${token}` };
    try {
      return await fetch(base + path, { headers, redirect: 'manual', signal: request.signal ?? null });
    } catch (error) {
      if (isClinicianError(error) || request.signal?.aborted) throw error;
      throw new ServiceUnavailableError('service_unreachable', 'The service cannot be reached.', error);
    }
  };
}

/**
 * Sends the access token along. A 401 is answered once with the token that the source of tokens has instead of the refused one:
 * a refresh elsewhere revokes the old access token too (service spec, "Token and code lifecycle").
 */
export function createAuthorizedFetch(options: AuthorizedFetchOptions): AuthorizedFetch {
  const { tokens, clock, budget, pause = pauseFor } = options;
  const send = createSend(options);

  /** Waits for the turn first, so that the access token is as fresh as can be. */
  async function inTurn(path: string, request: ResourceRequest, refusedToken?: string): Promise<Sent> {
    const { signal, free = false, maxWait = 0 } = request;
    for (let waited = 0; ; ) {
      const wait = free ? 0 : budget.turn(maxWait - waited);
      if (wait > 0) await pause(wait, signal);
      waited += wait;
      const token = await abortable(tokens.accessToken(refusedToken), signal);
      if (token === refusedToken) throw refused();
      const response = await send(path, request, token);
      budget.note(rateLimitIn(response.headers, clock));
      if (response.status !== 429) return { token, response };
      await response.body?.cancel();
      const resetAt = resetTime(response.headers, clock);
      budget.exhausted(resetAt);
      if (free) throw new RateLimitedError(resetAt);
    }
  }

  return async function authorizedFetch(path, request) {
    request.signal?.throwIfAborted();
    let { token, response } = await inTurn(path, request);
    if (response.status === 401) {
      await response.body?.cancel();
      ({ response } = await inTurn(path, request, token));
    }
    if (response.status === 200 || response.status === 304) return response;
    await response.body?.cancel();
    throw failure(response.status, request.scope);
  };
}

function failure(status: number, scope: string | undefined): Error {
  if (status === 401) return refused();
  if (status === 403) {
    const fix =
      scope === undefined ? 'for whoever is signed in' : `without the scope "${scope}": ask for it at sign-in`;
    return new DeniedError('scope_missing', `The service refuses this ${fix}.`);
  }
  if (status >= 500) {
    return new ServiceUnavailableError('service_error', `The service failed for now (HTTP status ${status}).`);
  }
  return new ProtocolError('api_response_unexpected', `The service answered with the HTTP status ${status}.`);
}

function refused(): SignInRequiredError {
  return new SignInRequiredError('access_token_refused', 'The service no longer accepts this sign-in: sign in again.');
}
