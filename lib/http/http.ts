import { readFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import {
  type ClinicianError,
  ConfigurationError,
  isClinicianError,
  ProtocolError,
  ServiceUnavailableError,
  summarizeError,
} from '../errors/errors.js';
import { secureURL } from './url.js';

/** The part of the Fetch API's `RequestInit` that this package uses. */
export interface FetchInit {
  method?: string;
  headers?: Record<string, string>;
  body?: string | URLSearchParams | null;
  redirect?: 'manual' | 'error' | 'follow';
  signal?: AbortSignal | null;
}

/** The part of the Fetch API's `Response` that this package reads. */
export interface FetchResponse {
  readonly status: number;
  /** Names are in lower case. */
  readonly headers: { get(name: string): string | null | undefined };
  /** True if a redirect was followed. */
  readonly redirected: boolean;
  readonly body: { cancel(): Promise<void> } | null;
}

/** The part of the Fetch API's `fetch` that this package uses: `globalThis.fetch` has this type. */
export type Fetch = (url: string, init?: FetchInit) => Promise<FetchResponse>;

/** A {@link Fetch} with connections that `close()` ends, those of pending requests too. The site's own fetch has its own ones. */
export type ClosableFetch = Fetch & { close(): void };

export interface FetchOptions {
  /** The time limit from connecting to the last byte, in milliseconds, with a repetition of the request. @default 10000 */
  timeout?: number;
  /** The PEM certificate of a private authority, trusted in addition to all that Node trusts. */
  ca?: string | undefined;
}

/** The maximum size of a response body, in bytes. */
const MAX_BODY_SIZE = 500_000;
/** Node servers close an idle connection after five seconds. This package closes it earlier and so does not write to a closing one. */
const MAX_IDLE_MS = 4_000;
const CERTIFICATE_ERROR =
  /^(?:CERT_|ERR_TLS_CERT|ERR_SSL_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY)|HOSTNAME_MISMATCH|INVALID_CA)/;
/** An access token that an Authorization header can contain (RFC 6750 section 2.1). */
export const BEARER_TOKEN: RegExp = /^[A-Za-z0-9\-._~+/]+=*$/;

/**
 * Trusts authorities in addition to all that Node trusts, also by NODE_EXTRA_CA_CERTS, --use-openssl-ca and --use-system-ca. The
 * option `ca` of node:tls replaces them. An import of node:tls would convert all of them at startup.
 */
function trustAlso(ca: string): https.AgentOptions {
  const tls = process.getBuiltinModule('node:tls');
  const secureContext = tls.createSecureContext();
  const authorities = [...extraAuthorities(), ca];
  // Node has this function, which it calls for each `ca`. Other runtimes may not.
  if (typeof secureContext.context?.addCACert !== 'function') return { ca: [...tls.rootCertificates, ...authorities] };
  for (const authority of authorities) secureContext.context.addCACert(authority);
  return { secureContext };
}

/** @returns those of NODE_EXTRA_CA_CERTS. Node 20 forgets them in a context with others, and warns of a file that it cannot read. */
function extraAuthorities(): string[] {
  try {
    return [readFileSync(process.env.NODE_EXTRA_CA_CERTS ?? '', 'utf8')];
  } catch {
    return [];
  }
}

/** @returns the variables with proxies, in a process that uses them. */
function proxyOptions(): { proxyEnv?: Readonly<Record<string, string | undefined>> | undefined } {
  return { proxyEnv: (https.globalAgent as { options?: ReturnType<typeof proxyOptions> }).options?.proxyEnv };
}

/** @returns a sentence for an error, which names the proxy without its credentials. @param status the response of the proxy */
function proxyHint({ protocol }: URL, status?: number): string {
  const { https_proxy, HTTPS_PROXY } = proxyOptions().proxyEnv ?? {};
  const address = https_proxy || HTTPS_PROXY || '';
  if (protocol !== 'https:' || !/^https?:/.test(address)) return '';
  const response = status === undefined ? '' : `, which responded with the status ${status}`;
  return ` HTTPS_PROXY is ${new URL(address).origin}${response}: check it and NO_PROXY.`;
}

/**
 * @returns a `fetch` for requests to the service. It accepts only https (http on the loopback interface), always verifies
 * certificates, and never follows redirects. It limits the time of an exchange and the size of a body, and reuses connections.
 * Rejects with an error of this package, or the reason of the `signal`.
 */
export function createFetch({ timeout = 10_000, ca }: FetchOptions = {}): ClosableFetch {
  const agentOptions = { keepAlive: true, timeout: MAX_IDLE_MS, maxFreeSockets: 32 };
  const trust = ca === undefined ? {} : trustAlso(ca);
  // Set explicitly so that NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect.
  const encrypted = new https.Agent({ ...agentOptions, ...trust, ...proxyOptions(), rejectUnauthorized: true });
  // Without a proxy: plain http is for the loopback interface, and unencrypted.
  const plain = new http.Agent(agentOptions);

  async function fetch(address: string, init: FetchInit = {}): Promise<FetchResponse> {
    const url = secureURL(address);
    if (url === undefined) throw insecureAddress();
    const agent = url.protocol === 'https:' ? encrypted : plain;
    const startedAt = performance.now();
    try {
      return await exchange(agent, url, init, timeout);
    } catch (error) {
      if (!(error instanceof StaleConnection)) throw error;
      return await exchange(agent, url, init, timeout - (performance.now() - startedAt));
    }
  }

  return Object.assign(fetch, {
    close() {
      plain.destroy();
      encrypted.destroy();
    },
  });
}

/** @returns the site's own fetch with a time limit, also for one that ignores the signal in its options. */
export function limitFetch(fetch: Fetch, timeoutMs: number): ClosableFetch {
  async function limitedFetch(address: string, init: FetchInit = {}): Promise<FetchResponse> {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal ? AbortSignal.any([init.signal, timeout]) : timeout;
    let expire = () => {};
    const expired = new Promise<never>((_, reject) => {
      expire = () => reject(timeoutError(new URL(address), timeoutMs));
    });
    timeout.addEventListener('abort', expire, { once: true });
    try {
      return await Promise.race([expired, fetch(address, { ...init, signal })]);
    } finally {
      timeout.removeEventListener('abort', expire);
    }
  }
  return Object.assign(limitedFetch, { close: () => undefined });
}

/** The server closed a reused connection. Only idempotent requests are repeated then (RFC 9110 section 9.2.2). */
class StaleConnection extends Error {}

function exchange(agent: http.Agent, url: URL, init: FetchInit, timeoutMs: number): Promise<FetchResponse> {
  const { method = 'GET', signal } = init;
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const options = { method, agent, headers: { ...init.headers, 'accept-encoding': 'identity' } };
    const request = agent instanceof https.Agent ? https.request(url, options) : http.request(url, options);
    const stopWaiting = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    const fail = (error: unknown) => {
      stopWaiting();
      reject(error);
      request.destroy();
    };
    const abort = () => fail(signal?.reason);
    const timer = setTimeout(() => fail(timeoutError(url, timeoutMs)), timeoutMs);
    signal?.addEventListener('abort', abort, { once: true });
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && error.code === 'ECONNRESET' && method === 'GET';
      fail(isStale ? new StaleConnection() : connectionError(url, error));
    });
    request.on('response', (message) => {
      message.on('end', stopWaiting);
      receive(message, url, resolve, fail);
    });
    // Node waits for another response after 101 (Switching Protocols).
    request.on('upgrade', () => fail(unexpected(url, 'the status 101 (Switching Protocols), which was not requested')));
    request.end(init.body?.toString());
  });
}

/** @param resolve gets the response when its body has arrived: a `Response` would copy it and read it again through a stream */
function receive(
  message: http.IncomingMessage,
  url: URL,
  resolve: (response: FetchResponse) => void,
  fail: (error: unknown) => void,
): void {
  const { statusCode: status = 0 } = message;
  const headers = headersOf(message);
  const encoding = headers.get('content-encoding') ?? 'identity';
  // The first failure counts.
  if (status < 200 || status > 599) fail(unexpected(url, 'a status that is not valid HTTP'));
  if (encoding.toLowerCase() !== 'identity') fail(unexpected(url, 'a compressed body, which was not requested'));
  const chunks: Buffer[] = [];
  let size = 0;
  message.on('data', (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size > MAX_BODY_SIZE) fail(unexpected(url, `more than ${MAX_BODY_SIZE} bytes`));
  });
  message.on('end', () => {
    const body = Object.assign(chunks, { cancel: async () => undefined });
    resolve({ status, headers, redirected: false, body });
  });
  message.on('error', (error) => fail(connectionError(url, error)));
}

/** @returns each header with all its values: `headers` has only the first one of some. nock 13 sets no `headersDistinct`. */
function headersOf({ rawHeaders }: http.IncomingMessage): Map<string, string> {
  const headers = new Map<string, string>();
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const [name, value] = [(rawHeaders[i] as string).toLowerCase(), rawHeaders[i + 1] as string];
    const previous = headers.get(name);
    headers.set(name, previous === undefined ? value : `${previous}, ${value}`);
  }
  return headers;
}

function insecureAddress(): ConfigurationError {
  return new ConfigurationError(
    'option_invalid',
    'An address of the service must use https, and contain no credentials. Plain http is for localhost, 127.0.0.1 and [::1] only.',
  );
}

function unexpected(url: URL, what: string): ProtocolError {
  return new ProtocolError('response_malformed', `${url.origin} sent ${what}.`);
}

function timeoutError(url: URL, timeoutMs: number): ServiceUnavailableError {
  const message = `${url.origin} did not respond within ${Math.ceil(timeoutMs / 1000)} seconds.${proxyHint(url)} Retry later.`;
  return new ServiceUnavailableError('service_unreachable', message);
}

function connectionError(url: URL, error: NodeJS.ErrnoException & { statusCode?: number }): ClinicianError {
  const { code = 'unknown reason', statusCode } = error;
  const hint = proxyHint(url, statusCode);
  if (code.startsWith('HPE_')) {
    return new ProtocolError('response_malformed', `The response of ${url.origin} is not valid HTTP (${code}).`, error);
  }
  if (CERTIFICATE_ERROR.test(code)) {
    return new ProtocolError(
      'certificate_refused',
      `The certificate of ${url.origin} is not valid (${code}).${hint} Pass the certificate of a private authority as option "ca".`,
      error,
    );
  }
  const message = `${url.origin} cannot be reached (${code}).${hint} Retry later.`;
  // Before Node 26, this message contains the password of the proxy.
  const cause = code === 'ERR_PROXY_TUNNEL' ? undefined : error;
  return new ServiceUnavailableError('service_unreachable', message, { cause });
}

/**
 * Sends a request to the service by the site's fetch, and follows no redirect.
 * @param secrets the credentials in the request, which no error may contain
 * @throws ServiceUnavailableError `service_unreachable` for an error of that fetch, ProtocolError `response_malformed`, or the
 * reason of the `signal`
 */
export async function sendRequest(
  fetch: Fetch,
  url: string,
  init: FetchInit = {},
  secrets: readonly string[] = [],
): Promise<FetchResponse> {
  let response: FetchResponse;
  try {
    response = await fetch(url, { ...init, redirect: 'manual' });
  } catch (error) {
    if (init.signal?.aborted) throw init.signal.reason;
    if (isClinicianError(error)) throw error;
    const cause = summarizeError(error, secrets);
    const message = `${new URL(url).origin} cannot be reached. Retry later.`;
    throw new ServiceUnavailableError('service_unreachable', message, { cause });
  }
  // A page at another address could then replace keys or a profile.
  if (response.redirected) {
    await response.body?.cancel();
    const message = `${new URL(url).origin} redirected a request, and the option "fetch" followed it. It must not follow redirects.`;
    throw new ProtocolError('response_malformed', message);
  }
  return response;
}
