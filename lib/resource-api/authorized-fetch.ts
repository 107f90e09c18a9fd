import type { Clock } from '../async/clock.js';
import { sleep } from '../async/timers.js';
import { scopeMissing } from '../errors/denials.js';
import { DeniedError, ProtocolError, ServiceUnavailableError, SignInRequiredError } from '../errors/errors.js';
import { BEARER_TOKEN, type Fetch, type FetchResponse, sendRequest } from '../http/http.js';
import { duration } from '../options/option-table.js';
import type { OptionTable } from '../schema.js';
import { type RateBudget, type RequestLimits, rateLimited, rateLimitIn } from './request-limits.js';

/** The options of every call of the resource API. */
export interface CallOptions {
  /** Aborts the call, which then rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /**
   * How long a call may wait until the rate limit is reset, in milliseconds. If it would have to wait longer, it rejects with the
   * code `rate_limited`.
   * @default 0, no wait
   */
  maxWait?: number | undefined;
}

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

/** The tokens of one user. */
export interface UserTokens {
  /** @param refusedToken the access token that the service has rejected with status 401 */
  accessToken(refusedToken?: string): Promise<string>;
  /** May have to be read from the token store. */
  user(): Promise<APIUser>;
}

interface Exchange {
  token: string;
  response: FetchResponse;
}

/** Sends requests to the resource API with the access tokens of one user. */
export class AuthorizedFetch {
  readonly apiURL: string;
  readonly clock: Clock;
  readonly tokens: UserTokens;
  readonly #fetch: Fetch;
  readonly #limits: RequestLimits;
  readonly #budget: RateBudget | undefined;
  readonly #pause: (ms: number, signal?: AbortSignal) => Promise<void>;

  /** @param from `budget` is that of an unknown user; `pause` rejects with the reason of its signal */
  constructor(from: {
    apiURL: string;
    clock: Clock;
    tokens: UserTokens;
    fetch: Fetch;
    limits: RequestLimits;
    budget?: RateBudget | undefined;
    pause?: (ms: number, signal?: AbortSignal) => Promise<void>;
  }) {
    this.apiURL = from.apiURL;
    this.clock = from.clock;
    this.tokens = from.tokens;
    this.#fetch = from.fetch;
    this.#limits = from.limits;
    this.#budget = from.budget;
    this.#pause = from.pause ?? abortableSleep;
  }

  /**
   * Sends a GET request. After a 401 it retries once, with another token: a refresh in another process revokes the access token too
   * (service spec, "Token and code lifecycle").
   * @returns the response with status 200 or 304; rejects for any other
   */
  async get(path: string, request: ResourceRequest): Promise<FetchResponse> {
    request.signal?.throwIfAborted();
    let { token, response } = await this.#exchange(path, request);
    if (response.status === 401) {
      await response.body?.cancel();
      ({ response } = await this.#exchange(path, request, token));
    }
    if (response.status === 200 || response.status === 304) return response;
    await response.body?.cancel();
    throw failure(response.status, request.scope);
  }

  async #exchange(path: string, request: ResourceRequest, refusedToken?: string): Promise<Exchange> {
    const { isUncounted = false, isPaced = false, maxWait = 0, signal } = request;
    const { userID } = await (signal ? abortable(this.tokens.user(), signal) : this.tokens.user());
    const budget = this.#budget ?? this.#limits.budgetOf(userID);
    for (let waitedMs = 0; ; ) {
      const waitMs = budget.reserve({ maxWaitMs: maxWait - waitedMs, isUncounted });
      waitedMs += waitMs;
      try {
        const pauseMs = isPaced ? Math.max(waitMs, INTERVAL_MS) : waitMs;
        if (pauseMs > 0) await this.#pause(pauseMs, signal);
        const { token, response } = await this.#send(path, request, userID, refusedToken);
        // A 401 is about no user: its rate limit is not that of the token's user.
        if (response.status !== 401) budget.update(rateLimitIn(response.headers, this.clock));
        if (response.status !== 429) return { token, response };
        await response.body?.cancel();
        const resetAt = budget.stop(response.headers);
        if (isUncounted) throw rateLimited(resetAt);
      } finally {
        budget.release();
      }
    }
  }

  async #send(path: string, request: ResourceRequest, userID: string, refusedToken?: string): Promise<Exchange> {
    const { headers, signal } = request;
    const getting = this.tokens.accessToken(refusedToken);
    const token = await (signal ? abortable(getting, signal) : getting);
    if (token === refusedToken) throw refused();
    if (!BEARER_TOKEN.test(token)) {
      throw new ProtocolError('response_malformed', 'The access token has characters that no header can contain.');
    }
    const all = { accept: 'application/json', ...headers, authorization: `Bearer ${token}` };
    const init = { headers: all, signal: signal ?? null };
    const url = this.apiURL + path;
    const response = await this.#limits.send(userID, () => sendRequest(this.#fetch, url, init, [token]), signal);
    return { token, response };
  }
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
