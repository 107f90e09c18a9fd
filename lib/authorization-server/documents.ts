import type { Clock } from '../async/clock.js';
import type { CodeOf } from '../errors/error-codes.js';
import { ProtocolError, ServiceUnavailableError } from '../errors/errors.js';
import type { Fetch, FetchResponse } from '../http/http.js';
import { defined, readJSONDocument } from '../http/json.js';
import { sendRequest } from '../http/send-request.js';

/** A document of the authorization server: its name in messages, and the error code for one that is not valid. */
export interface ExpectedDocument {
  name: string;
  code: CodeOf<'ProtocolError'>;
  /** The accepted media type. @default application/json */
  mediaType?: RegExp;
  /** The maximum size, in bytes. @default 100000 */
  maxSize?: number;
}

/** Requests a document. */
export function requestDocument(fetch: Fetch, url: string): Promise<FetchResponse> {
  return sendRequest(fetch, url, { headers: { accept: 'application/json' } });
}

/** @throws ServiceUnavailableError `service_error` for the status 429 or 5xx. */
export function throwIfUnavailable(response: FetchResponse, { name }: ExpectedDocument): void {
  if (response.status >= 500 || response.status === 429) {
    throw new ServiceUnavailableError(
      'service_error',
      `The service returned the HTTP status ${response.status} instead of ${name}. Retry later.`,
    );
  }
}

/** @returns the members of a document that is published with status 200. */
export async function readDocument(
  response: FetchResponse,
  expected: ExpectedDocument,
): Promise<Record<string, unknown>> {
  throwIfUnavailable(response, expected);
  if (response.status !== 200) throw malformed(expected, `has the HTTP status ${response.status}`);
  return await readJSONObject(response, expected);
}

/** @returns the members of a JSON object. */
export async function readJSONObject(
  response: FetchResponse,
  expected: ExpectedDocument,
): Promise<Record<string, unknown>> {
  const { mediaType, maxSize } = expected;
  const document = { ...defined({ mediaType, maxSize }), malformed: (reason: string) => malformed(expected, reason) };
  return (await readJSONDocument(response, document)).json;
}

/** @returns the error for a response that violates a rule. It never quotes the response, which may contain tokens. */
export function malformed({ name, code }: ExpectedDocument, reason: string): ProtocolError {
  return new ProtocolError(code, `The service's response was rejected: ${name} ${reason}.`);
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

  /** @returns true if the document is cached, and does not expire within this time. */
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
