import type { IncomingHttpHeaders } from 'node:http';
import type { Body } from './request.js';
import type { ProviderResponse } from './response.js';

/** A request of this process. */
export interface LocalRequest {
  readonly method: string;
  readonly url: URL;
  /** Their names are in lower case. */
  readonly headers: IncomingHttpHeaders;
  readonly body: Body;
  readonly signal?: AbortSignal | undefined;
}

/** A response whose headers have arrived. */
export interface LocalResponse extends Pick<ProviderResponse, 'status' | 'headers'> {
  /** The complete body; empty if a response has none. */
  readonly body: string;
  /** Resolves when the body has arrived. Undefined for a body that has arrived with the headers, which is the usual case. */
  readonly rest: (() => Promise<void>) | undefined;
}

/** Sends a request to the provider without a socket. Rejects when the connection is closed before the response. */
export type LocalExchange = (request: LocalRequest) => Promise<LocalResponse>;
