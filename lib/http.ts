import http from 'node:http';
import https from 'node:https';
import { rootCertificates } from 'node:tls';
import { type ClinicianError, isClinicianError, ProtocolError, ServiceUnavailableError } from './errors.js';
import { secureURL } from './url.js';

/** What a {@link Fetch} is told besides the address: the part of the Fetch API that this package uses. */
export interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string | URLSearchParams | Uint8Array | null;
  redirect?: 'manual' | 'error' | 'follow';
  signal?: AbortSignal | null;
}

/** The Fetch API's `fetch`, as far as this package uses it: `globalThis.fetch` is one. */
export type Fetch = (url: string, init?: FetchInit) => Promise<Response>;

export interface FetchOptions {
  /** The time limit of a whole exchange, from connecting to the last byte, in milliseconds. @default 10000 */
  timeout?: number;
  /** The longest body that is read, in bytes. @default 1000000 */
  maxBodySize?: number;
  /** Certificates of a private authority, in PEM, trusted beside the public ones. */
  ca?: string | readonly string[];
}

interface Limits {
  timeout: number;
  maxBodySize: number;
}

interface Transport {
  request: typeof http.request;
  agent: http.Agent;
}

/** Shorter than the five seconds after which a Node server closes an idle connection, so that we never write to one that is closing. */
const IDLE = 4_000;
const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);
const CERTIFICATE =
  /^(?:CERT_|ERR_TLS_CERT|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|HOSTNAME_MISMATCH|INVALID_CA)/;

/**
 * A `fetch` for talking to the service: https only (http to the machine itself excepted), certificates always checked,
 * no redirect ever followed, one time limit for the whole exchange, a limit on the body, connections kept alive.
 * Faster than the built-in one, which is the dearest part of a callback.
 *
 * Rejects with a `ServiceUnavailableError` (`service_unreachable`, `service_timeout`), a `ProtocolError`
 * (`response_too_large`, `response_encoded`, `response_malformed`, `certificate_refused`), a `ConfigurationError`
 * (`insecure_url`), or the reason of the caller's `signal`.
 */
export function createFetch(options: FetchOptions = {}): Fetch {
  const limits: Limits = { timeout: options.timeout ?? 10_000, maxBodySize: options.maxBodySize ?? 1_000_000 };
  const keep = { keepAlive: true, timeout: IDLE, maxFreeSockets: 32 };
  const trust = options.ca === undefined ? {} : { ca: [...rootCertificates, ...[options.ca].flat()] };
  const transports: Record<string, Transport> = {
    'http:': { request: http.request, agent: new http.Agent(keep) },
    // Said aloud, so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no say here.
    'https:': { request: https.request, agent: new https.Agent({ ...keep, ...trust, rejectUnauthorized: true }) },
  };

  return async function fetch(address: string, init: FetchInit = {}): Promise<Response> {
    const url = secureURL(address);
    const transport = transports[url.protocol] as Transport;
    try {
      return await exchange(transport, url, init, limits);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return await exchange(transport, url, init, limits);
    }
  };
}

/** The server closed a kept connection just as it was used again. Only what may be asked twice is asked again (RFC 9110 section 9.2.2). */
class StaleConnection extends Error {}

function exchange(transport: Transport, url: URL, init: FetchInit, limits: Limits): Promise<Response> {
  const { promise, resolve, reject } = deferred<Response>();
  const { signal } = init;
  if (signal?.aborted) return Promise.reject(signal.reason);

  const body = init.body === undefined || init.body === null ? undefined : Buffer.from(asBytes(init.body));
  const request = transport.request(url, {
    method: init.method ?? 'GET',
    agent: transport.agent,
    headers: headersOf(init, body),
  });
  const end = (settle: () => void) => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', abort);
    settle();
  };
  const fail = (error: unknown) =>
    end(() => {
      reject(error);
      request.destroy();
    });
  const abort = () => fail(signal?.reason);
  const timer = setTimeout(() => {
    const seconds = limits.timeout / 1000;
    fail(new ServiceUnavailableError('service_timeout', `${url.origin} did not answer within ${seconds} seconds.`));
  }, limits.timeout);
  signal?.addEventListener('abort', abort, { once: true });

  request.on('error', (error: NodeJS.ErrnoException) => {
    const idempotent = request.method === 'GET' || request.method === 'HEAD';
    const stale = request.reusedSocket && error.code === 'ECONNRESET' && idempotent;
    fail(stale ? new StaleConnection() : connectionError(url, error));
  });
  request.on('response', (response) => {
    receive(response, url, limits.maxBodySize).then((received) => end(() => resolve(received)), fail);
  });
  request.end(body);
  return promise;
}

async function receive(response: http.IncomingMessage, url: URL, maxBodySize: number): Promise<Response> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding.toLowerCase() !== 'identity') {
    throw new ProtocolError('response_encoded', `${url.origin} sent a compressed body, though none was asked for.`);
  }
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > maxBodySize) {
        throw new ProtocolError('response_too_large', `${url.origin} sent more than ${maxBodySize} bytes.`);
      }
      chunks.push(chunk);
    }
  } catch (error) {
    throw isClinicianError(error) ? error : connectionError(url, error as NodeJS.ErrnoException);
  }
  return asResponse(response, Buffer.concat(chunks), url);
}

function asResponse(received: http.IncomingMessage, body: Buffer, url: URL): Response {
  try {
    const status = received.statusCode ?? 0;
    const headers = new Headers();
    for (let i = 0; i < received.rawHeaders.length; i += 2) {
      headers.append(received.rawHeaders[i] as string, received.rawHeaders[i + 1] as string);
    }
    return new Response(NO_BODY.has(status) ? null : body, { status, headers });
  } catch {
    throw new ProtocolError(
      'response_malformed',
      `${url.origin} answered with a status or a header that HTTP does not allow.`,
    );
  }
}

function connectionError(url: URL, error: NodeJS.ErrnoException): ClinicianError {
  const code = error.code ?? 'unknown reason';
  if (code.startsWith('HPE_')) {
    return new ProtocolError('response_malformed', `${url.origin} did not answer in HTTP (${code}).`, error);
  }
  if (CERTIFICATE.test(code)) {
    const fix = 'If it is a private authority of yours, name its certificate in the option "ca".';
    return new ProtocolError(
      'certificate_refused',
      `The certificate of ${url.origin} is refused (${code}). ${fix}`,
      error,
    );
  }
  return new ServiceUnavailableError('service_unreachable', `${url.origin} cannot be reached (${code}).`, error);
}

function headersOf(init: FetchInit, body: Buffer | undefined): Record<string, string> {
  const headers = Object.fromEntries(
    Object.entries(init.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]),
  );
  headers['accept-encoding'] = 'identity';
  if (body !== undefined) headers['content-length'] = String(body.length);
  return headers;
}

function asBytes(body: string | URLSearchParams | Uint8Array): string | Uint8Array {
  return body instanceof URLSearchParams ? body.toString() : body;
}

function deferred<T>(): { promise: Promise<T>; resolve: (value: T) => void; reject: (reason: unknown) => void } {
  let settle!: { resolve: (value: T) => void; reject: (reason: unknown) => void };
  const promise = new Promise<T>((resolve, reject) => {
    settle = { resolve, reject };
  });
  return { promise, ...settle };
}
