import type { Clock } from '../async/clock.js';
import { ServiceUnavailableError } from '../errors/errors.js';
import { type Fetch, type FetchResponse, sendRequest } from '../http/http.js';
import { type JSONDocument, malformed, readJSONDocument } from '../http/json.js';

export function requestDocument(fetch: Fetch, url: string): Promise<FetchResponse> {
  return sendRequest(fetch, url, { headers: { accept: 'application/json' } });
}

/** @throws ServiceUnavailableError `service_error` for the status 429 or 5xx. */
export function throwIfUnavailable(response: FetchResponse, { name }: JSONDocument): void {
  if (response.status >= 500 || response.status === 429) {
    throw new ServiceUnavailableError(
      'service_error',
      `The service returned the HTTP status ${response.status} instead of ${name}. Retry later.`,
    );
  }
}

export async function readDocument(response: FetchResponse, expected: JSONDocument): Promise<Record<string, unknown>> {
  throwIfUnavailable(response, expected);
  if (response.status !== 200) throw malformed(expected, `has the HTTP status ${response.status}`);
  return (await readJSONDocument(response, expected)).json;
}

/** A document of the service that is fetched when it is first needed, and again after its lifetime. */
export class CachedDocument<T> {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #load: () => Promise<T>;
  #cached: { value: T; expiresAt: number } | undefined;
  #fetching: Promise<T> | undefined;

  constructor(clock: Clock, lifetimeMs: number, load: () => Promise<T>) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#load = load;
  }

  isCachedFor(ms: number): boolean {
    return this.#cached !== undefined && this.#clock.now() + ms < this.#cached.expiresAt;
  }

  /** @returns the cached document. It is fetched again if it expires within `validForMs`. */
  async get(validForMs = 0): Promise<T> {
    const cached = this.#cached;
    return cached !== undefined && this.#clock.now() + validForMs < cached.expiresAt ? cached.value : this.refetch();
  }

  /** Fetches the document. Concurrent calls share one fetch. A failed fetch is not cached. */
  refetch(): Promise<T> {
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetch(): Promise<T> {
    const value = await this.#load();
    this.#cached = { value, expiresAt: this.#clock.now() + this.#lifetimeMs };
    return value;
  }
}
