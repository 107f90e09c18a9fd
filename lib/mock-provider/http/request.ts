import type { IncomingHttpHeaders } from 'node:http';
import { type BasicCredentials, type BasicError, type Bearer, basicCredentials, bearerToken } from './authorization.js';
import { type Parameters, parseParameters, partOf } from './parameters.js';
import type { Address } from './paths.js';

/** Represents one HTTP request: from a socket, from Express, or from `provider.fetch`. */
export class MockRequest {
  readonly method: string;
  readonly path: string;
  readonly search: string;
  readonly headers: IncomingHttpHeaders;
  /** Its header; undefined if a fault needs a response with a body. */
  ifNoneMatch: string | undefined;
  /** The body; empty when it was not read. */
  readonly body: string;
  /** Why the body was not read. */
  readonly bodyError: BodyError | undefined;
  /** The remote address of the socket, or {@link LOCAL_PEER}. */
  readonly peer: string | undefined;
  readonly localPort: number | undefined;
  /** The address that it was sent to; undefined if the issuer and the API have one origin. */
  readonly address: Address | undefined;
  #query: Parameters | undefined;
  #form: Parameters | undefined;
  #isForm: boolean | undefined;
  #basic: BasicCredentials | BasicError | undefined;
  #bearer: Bearer | undefined;
  #cookies: Map<string, string> | undefined;

  /** @param target a path with its query, as in a request line */
  constructor(method: string, target: string, headers: IncomingHttpHeaders, body: Body = '', from: Peer = {}) {
    const queryStart = target.indexOf('?');
    this.method = method;
    this.path = queryStart < 0 ? target : partOf(target, target.slice(0, queryStart));
    this.search = queryStart < 0 ? '' : target.slice(queryStart + 1);
    this.headers = headers;
    this.ifNoneMatch = headers['if-none-match'];
    this.peer = from.remoteAddress;
    this.localPort = from.localPort;
    this.address = from.address;
    this.bodyError = typeof body === 'string' ? undefined : body.error;
    this.body = typeof body === 'string' ? body : '';
  }

  get query(): Parameters {
    this.#query ??= parseParameters(this.search);
    return this.#query;
  }

  /** The form in the body, when {@link isForm} is true. */
  get form(): Parameters {
    this.#form ??= parseParameters(this.body);
    return this.#form;
  }

  /** The parameters of the query and of a posted form; a name in both of them counts as repeated. */
  get parameters(): Parameters {
    return this.method === 'POST' && this.isForm ? parseParameters(this.search, this.body) : this.query;
  }

  /** True for a form-url-encoded body without a Content-Encoding. */
  get isForm(): boolean {
    this.#isForm ??= isForm(this.headers);
    return this.#isForm;
  }

  /** The credentials in the Authorization header; undefined without the header. */
  get basic(): BasicCredentials | BasicError | undefined {
    const { authorization } = this.headers;
    if (authorization !== undefined) this.#basic ??= basicCredentials(authorization);
    return this.#basic;
  }

  /** The access token in the Authorization header; undefined without the scheme Bearer. */
  get bearer(): Bearer | undefined {
    const { authorization } = this.headers;
    if (authorization !== undefined) this.#bearer ??= bearerToken(authorization);
    return this.#bearer;
  }

  /** The values of the cookies by name, in the order in which they were sent. */
  get cookies(): ReadonlyMap<string, string> {
    this.#cookies ??= parseCookies(this.headers.cookie ?? '');
    return this.#cookies;
  }

  /** True when Accept prefers JSON to HTML. */
  get prefersJSON(): boolean {
    const accept = this.headers.accept ?? '';
    return quality(accept, 'application/json') > quality(accept, 'text/html');
  }
}

/** The ends of a socket, as node:net names them, and the address of the service that was requested. */
interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly localPort?: number | undefined;
  readonly address?: Address | undefined;
}

/** Names the peer of a request from `provider.fetch`. */
export const LOCAL_PEER = 'this process';

/** A body, or the reason why it was not read. */
export type Body = string | { readonly error: BodyError };

/** Names why a body was not read. */
export type BodyError = 'too_large' | 'not_text';

function isForm({ 'content-type': type, 'content-encoding': encoding = 'identity' }: IncomingHttpHeaders): boolean {
  if (type === undefined || encoding.toLowerCase() !== 'identity') return false;
  return /^application\/x-www-form-urlencoded\s*(;|$)/i.test(type);
}

function parseCookies(header: string): Map<string, string> {
  const cookies = new Map<string, string>();
  for (const pair of header.split(';')) {
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
