import type { Duration } from '../options/duration.js';

/** One exchange with the provider. Names are kept; values only where they are known to be harmless. */
export interface RecordedRequest {
  /** Counted from 1 on since the start or the last `reset()`. */
  readonly number: number;
  /** Milliseconds since the epoch, by the provider's clock. */
  readonly at: number;
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly form: Readonly<Record<string, string>>;
  /** How the client authenticated: the scheme alone. */
  readonly authorization: string | undefined;
  /** The few headers that tell something about the client. */
  readonly headers: Readonly<Record<string, string>>;
  /** The names of the cookies that came along. */
  readonly cookies: readonly string[];
  /** The names of the cookies that were set. */
  readonly setCookies: readonly string[];
  readonly status: number;
  /** Where it was redirected to, without the values of its parameters that are secret. */
  readonly location: string | undefined;
  /** Of a JSON answer: error, error_description, expires_in, scope and token_type, where they are in it. */
  readonly answer: Readonly<Record<string, string | number>>;
  /** The client that asked, when that is known. */
  readonly clientID: string | undefined;
  /** Which login it belongs to, as `provider.logins` counts them. */
  readonly login?: number;
  /** The user name of the clinician, when that is known. */
  readonly clinician?: string;
  /** The fault that struck. */
  readonly fault?: string;
}

/** How a login ended. `open`: it is still under way. `abandoned`: nobody went on with it while it could be gone on with. */
export type LoginOutcome = 'signed in' | 'denied' | 'refused' | 'abandoned' | 'open';

/** All that belongs to one login, from its authorization request to the last use of its tokens. */
export interface RecordedLogin {
  /** Counted from 1 on; what `RecordedRequest.login` names. */
  readonly login: number;
  readonly clientID?: string;
  /** The user name of the clinician, once known. */
  readonly clinician?: string;
  /** Milliseconds since the epoch, by the provider's clock. */
  readonly startedAt: number;
  readonly outcome: LoginOutcome;
  readonly requests: readonly RecordedRequest[];
}

/** How long to wait for a request. */
export interface WaitOptions {
  /** By the machine's clock, as a test waits; the provider's may stand still. @default '5 seconds' */
  timeout?: Duration;
}

/** What was asked and answered: `provider.requests`, an array, newest last. The newest 5,000 are kept at least. */
export type RecordedRequests = readonly RecordedRequest[] & {
  /**
   * Rejects with a sentence that says what was seen instead, when nothing came in time.
   * @returns the first request that matches, also one that is still to come
   */
  waitFor(match: (request: RecordedRequest) => boolean, options?: WaitOptions): Promise<RecordedRequest>;
};
