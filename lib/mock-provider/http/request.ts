import type { IncomingHttpHeaders } from 'node:http';
import { type Parameters, parseParameters } from './parameters.js';

/** One request as the endpoints see it: it came over a socket, through Express, or through `provider.fetch`. */
export class MockRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** The body; empty when it was too large to read on, or not text. */
  readonly body: string;
  /** Why the body was not read. */
  readonly bodyFault: 'too large' | 'not text' | undefined;
  /** Whose socket it came over: an IP address, or {@link LOCAL_PEER}. */
  readonly peer: string | undefined;
  readonly localPort: number | undefined;
  #query: Parameters | undefined;
  #form: Parameters | undefined;
  #cookies: Map<string, string> | undefined;

  /** `target` is a path with its query, as it stands in a request line. */
  constructor(method: string, target: string, headers: IncomingHttpHeaders, body: Body = '', from: Peer = {}) {
    const mark = target.indexOf('?');
    this.method = method;
    this.path = mark < 0 ? target : target.slice(0, mark);
    this.search = mark < 0 ? '' : target.slice(mark + 1);
    this.headers = headers;
    this.peer = from.remoteAddress;
    this.localPort = from.localPort;
    this.bodyFault = typeof body === 'string' ? undefined : body.fault;
    this.body = typeof body === 'string' ? body : '';
  }

  get query(): Parameters {
    this.#query ??= parseParameters(this.search);
    return this.#query;
  }

  /** The ETags of what the caller has already. */
  get ifNoneMatch(): string | undefined {
    return this.headers['if-none-match'];
  }

  /** @returns the same request without If-None-Match, so that the response has a body. */
  withoutIfNoneMatch(): MockRequest {
    const { 'if-none-match': _, ...headers } = this.headers;
    const target = this.search === '' ? this.path : `${this.path}?${this.search}`;
    const body: Body = this.bodyFault === undefined ? this.body : { fault: this.bodyFault };
    return new MockRequest(this.method, target, headers, body, {
      remoteAddress: this.peer,
      localPort: this.localPort,
    });
  }

  /** The form in the body. Ask {@link isForm} first. */
  get form(): Parameters {
    this.#form ??= parseParameters(this.body);
    return this.#form;
  }

  /** True for a body that is form-url-encoded, and not packed in any other way. */
  get isForm(): boolean {
    const type = this.headers['content-type'];
    const isPacked = (this.headers['content-encoding'] ?? 'identity').toLowerCase() !== 'identity';
    return type !== undefined && !isPacked && /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
  }

  cookie(name: string): string | undefined {
    this.#cookies ??= parseCookies(this.headers.cookie);
    return this.#cookies.get(name);
  }

  /** True when the caller would rather read JSON than a page. */
  get prefersJSON(): boolean {
    const accept = this.headers.accept ?? '';
    return quality(accept, 'application/json') > quality(accept, 'text/html');
  }
}

/** The two ends of a socket, as node:net names them. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly localPort?: number | undefined;
}

/** The peer of a request that came over no socket, but by `provider.fetch`. */
export const LOCAL_PEER = 'this process';

/** A body that was read, or why it was not. */
export type Body = string | { readonly fault: 'too large' | 'not text' };

function parseCookies(header: string | undefined): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header?.split(';') ?? []) {
    const equals = pair.indexOf('=');
    if (equals > 0) cookies.set(pair.slice(0, equals).trim(), pair.slice(equals + 1).trim());
  }
  return cookies;
}

function quality(accept: string, type: string): number {
  for (const range of accept.toLowerCase().split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim());
    if (name !== type) continue;
    const q = parameters.find((parameter) => parameter.startsWith('q='));
    return q === undefined ? 1 : Number(q.slice(2)) || 0;
  }
  return 0;
}
