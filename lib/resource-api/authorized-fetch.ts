import type { Clock } from '../async/clock.js';
import { sleep } from '../async/timers.js';
import { scopeMissing } from '../errors/denials.js';
import { DeniedError, ProtocolError, ServiceUnavailableError, SignInRequiredError } from '../errors/errors.js';
import { BEARER_TOKEN, type Fetch, type FetchResponse, sendRequest } from '../http/http.js';
import { duration } from '../options/option-table.js';
import type { OptionTable } from '../schema.js';
import { type RateBudget, type RequestLimits, rateLimited, rateLimitIn } from './request-limits.js';

/** Provides access tokens: the token vault does, for one grant. */
export interface AccessTokens {
  /** @param refusedToken the access token that the service has rejected with status 401 */
  accessToken(refusedToken?: string): Promise<string>;
}

/** The options of every call of the resource API. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * The longest time that a call waits for the rate limit to be reset, in milliseconds. If it would have to wait longer, it
   * rejects with the code `rate_limited`.
   * @default 0, no wait
   */
  maxWait?: number | undefined;
}

/** Defines the options of {@link CallOptions}. */
export const callOptionRules: OptionTable<CallOptions> = {
  signal: { type: 'an AbortSignal', isValid: (value) => value instanceof AbortSignal },
  maxWait: duration,
};

/** The time between two requests of an iteration: 5000 requests an hour (service spec, "Limits"). */
const INTERVAL_MS = 720;

interface ResourceRequest extends CallOptions {
  /** The scope that the resource needs, for the error message. Absent if any scope is sufficient. */
  scope?: string;
  headers?: Record<string, string>;
  /** The request does not count against the rate limit (service spec, "rate_limit"): it never waits. */
  isUncounted?: boolean;
  /** The request belongs to an iteration: it always waits, so that calls are spaced out (service spec, "Limits"). */
  isPaced?: boolean;
}

/** What is known about the user of the tokens. */
export interface APIUser {
  /** Identifies the user for the limits. Empty while the user is unknown. */
  userID: string;
  /** The required id of the profile. Absent until one was read. */
  profileID?: string | undefined;
}

/** The access of one grant to the resource API. */
export interface APIAccess {
  apiURL: string;
  fetch: Fetch;
  tokens: AccessTokens;
  clock: Clock;
  /** The user of the tokens. A function, because the user may have to be read from the token store. */
  user: () => Promise<APIUser>;
  limits: RequestLimits;
  /** The budget of an unknown user. */
  budget?: RateBudget | undefined;
  /** Waits; an aborted wait rejects with the signal's reason. @internal */
  pause?: ((ms: number, signal?: AbortSignal) => Promise<void>) | undefined;
}

interface Exchange {
  token: string;
  response: FetchResponse;
}

/**
 * Sends a GET request with the access token of a grant. After a 401 it retries once, with another token: a refresh in another process
 * revokes the access token too (service spec, "Token and code lifecycle").
 * @returns the response with status 200 or 304; rejects for any other
 */
export async function authorizedGet(access: APIAccess, path: string, request: ResourceRequest): Promise<FetchResponse> {
  request.signal?.throwIfAborted();
  let { token, response } = await exchange(access, path, request);
  if (response.status === 401) {
    await response.body?.cancel();
    ({ response } = await exchange(access, path, request, token));
  }
  if (response.status === 200 || response.status === 304) return response;
  await response.body?.cancel();
  throw failure(response.status, request.scope);
}

async function exchange(
  access: APIAccess,
  path: string,
  request: ResourceRequest,
  refusedToken?: string,
): Promise<Exchange> {
  const { user, limits, clock, pause = abortableSleep } = access;
  const { isUncounted = false, isPaced = false, maxWait = 0, signal } = request;
  const { userID } = await (signal ? abortable(user(), signal) : user());
  const budget = access.budget ?? limits.budgetOf(userID);
  for (let waitedMs = 0; ; ) {
    const waitMs = budget.reserve({ maxWaitMs: maxWait - waitedMs, isUncounted });
    waitedMs += waitMs;
    try {
      const pauseMs = isPaced ? Math.max(waitMs, INTERVAL_MS) : waitMs;
      if (pauseMs > 0) await pause(pauseMs, signal);
      const { token, response } = await send(access, path, request, userID, refusedToken);
      // A 401 is about no user: its rate limit is not that of the token's user.
      if (response.status !== 401) budget.update(rateLimitIn(response.headers, clock));
      if (response.status !== 429) return { token, response };
      await response.body?.cancel();
      const resetAt = budget.stop(response.headers);
      if (isUncounted) throw rateLimited(resetAt);
    } finally {
      budget.release();
    }
  }
}

async function send(
  { apiURL, tokens, limits, fetch }: APIAccess,
  path: string,
  { headers, signal }: ResourceRequest,
  userID: string,
  refusedToken?: string,
): Promise<Exchange> {
  const getting = tokens.accessToken(refusedToken);
  const token = await (signal ? abortable(getting, signal) : getting);
  if (token === refusedToken) throw refused();
  if (!BEARER_TOKEN.test(token)) {
    throw new ProtocolError('response_malformed', 'The access token has characters that no header can contain.');
  }
  const all = { accept: 'application/json', ...headers, authorization: `Bearer ${token}` };
  const init = { headers: all, signal: signal ?? null };
  const response = await limits.send(userID, () => sendRequest(fetch, apiURL + path, init, [token]), signal);
  return { token, response };
}

function failure(status: number, scope: string | undefined): Error {
  if (status === 401) return refused();
  if (status === 403) {
    if (scope !== undefined) return scopeMissing(scope);
    return new DeniedError('scope_missing', 'The service denies this request to the signed-in user.');
  }
  if (status >= 500) {
    return new ServiceUnavailableError('service_error', `The service returned the HTTP status ${status}. Retry later.`);
  }
  return new ProtocolError('response_malformed', `The service returned the unexpected HTTP status ${status}.`);
}

function refused(): SignInRequiredError {
  return new SignInRequiredError(
    'access_token_refused',
    'The service no longer accepts this sign-in. Please sign in again.',
  );
}

/** @returns the result of a promise, or rejects with the signal's reason when it is aborted. The promise continues. */
function abortable<R>(promise: Promise<R>, signal: AbortSignal): Promise<R> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function abortableSleep(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal && { signal });
  } catch (error) {
    throw signal?.aborted ? signal.reason : error;
  }
}
