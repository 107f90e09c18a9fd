import type { Duration } from '../options/duration.js';

/** One exchange with the provider. Names are recorded, but values only if they are known to be harmless. */
export interface RecordedRequest {
  /** Counts from 1 since the start or the last `reset()`. */
  readonly number: number;
  /** Milliseconds since the Unix epoch, by the provider's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** The scheme of the Authorization header. */
  readonly authorization: string | undefined;
  /** The few headers that describe the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the cookies that the client sent. */
  readonly cookies: readonly string[];
  /** The names of the cookies that the response sets. */
  readonly setCookies: readonly string[];
  readonly status: number;
  /** The redirect target, with the secret values of its parameters masked. */
  readonly location: string | undefined;
  /** The members error, error_description, expires_in, scope and token_type of a JSON response. */
  readonly response: Readonly<Record<string, string | number>>;
  /** The client that sent the request, if known. */
  readonly clientID: string | undefined;
  /** The login that the request belongs to: a number in `provider.logins`. */
  readonly login?: number;
  /** The clinician's username, if known. */
  readonly clinician?: string;
  /** The fault that was applied. */
  readonly fault?: string;
}

/** The outcomes of a login. `open`: still in progress. `abandoned`: its page or its code expired before it continued. */
export type LoginOutcome = 'signed in' | 'denied' | 'refused' | 'abandoned' | 'open';

/** The requests of one login, from its authorization request to the last use of its tokens. */
export interface RecordedLogin {
  /** Counts from 1. The same number as `RecordedRequest.login`. */
  readonly login: number;
  readonly clientID?: string;
  /** The clinician's username, once known. */
  readonly clinician?: string;
  /** Milliseconds since the Unix epoch, by the provider's clock. */
  readonly startedAt: number;
  readonly outcome: LoginOutcome;
  readonly requests: readonly RecordedRequest[];
}

/** The options of `provider.requests.waitFor()`. */
export interface WaitOptions {
  /** In real time: a test may freeze the clock of the provider, or the timers of its process. @default '2 seconds' */
  timeout?: Duration;
  /** What is awaited, for the message of the error: `'request with status 200'`. @default the source of `match` */
  description?: string;
}

/** The recorded requests, the newest last: `provider.requests`. At least the newest 5,000 are available. */
export type RecordedRequests = readonly RecordedRequest[] & {
  /**
   * Waits for a request that matches, or finds one that is already recorded. Rejects after the timeout, by default 2 seconds,
   * with an error that has what was awaited, and the last requests that were received instead.
   * @returns the first request that matches
   */
  waitFor(match: (request: RecordedRequest) => boolean, options?: WaitOptions): Promise<RecordedRequest>;
};
