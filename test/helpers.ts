// The helpers that tests share. `helpers/provider.ts` starts the mock provider of a file; its folder also has what jest loads before
// each file. `integration/site.ts` has sites. Set-ups of one folder are in that folder.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { jest } from '@jest/globals';
import type { FetchResponse } from '../lib/http/http.js';
import type { MockProvider } from '../lib/mock-provider/mock-provider.js';
import { PERSONAS } from '../lib/mock-provider/options/personas.js';

/**
 * @returns what sites without onEvent print while a function runs: `passport-clinician [code]: message`
 * @example expect(await printedBy(() => agent.get('/me'))).toEqual([expect.stringContaining('[site_error]')])
 */
export async function printedBy(run: () => unknown): Promise<string[]> {
  const lines: string[] = [];
  const write = jest.spyOn(process.stderr, 'write').mockImplementation((line) => Boolean(lines.push(String(line))));
  try {
    await run();
    return lines.filter((line) => line.startsWith('passport-clinician [')).map((line) => line.trimEnd());
  } finally {
    write.mockRestore();
  }
}

/**
 * Runs a function while NODE_ENV has a value, or is not set. A site reads it when it is created.
 * @example await withNodeEnv('production', () => agent.get('/broken').expect(500))
 */
export async function withNodeEnv<T>(value: string | undefined, run: () => T | Promise<T>): Promise<T> {
  const { NODE_ENV } = process.env;
  if (value === undefined) delete process.env.NODE_ENV;
  else process.env.NODE_ENV = value;
  try {
    return await run();
  } finally {
    process.env.NODE_ENV = NODE_ENV;
  }
}

/**
 * Ends at once the 30 seconds that a store, or other code of the site, may take, until `jest.restoreAllMocks()`.
 * @returns the parts of this time that were waited for: it has four
 * @example const waits = shortenSiteTimeout()
 */
export function shortenSiteTimeout(): number[] {
  const timer = globalThis.setTimeout;
  const waits: number[] = [];
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((call: () => void, ms: number, ...args: []) => {
    const isLimit = ms === 7_500;
    if (isLimit) waits.push(ms);
    return timer(call, isLimit ? 0 : ms, ...args);
  }) as typeof setTimeout);
  return waits;
}

/**
 * @returns the body of a response as text.
 * @example expect(await textOf(await fetch(url))).toBe('in')
 */
export async function textOf({ body }: FetchResponse): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of (body ?? []) as Iterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/**
 * The user names of the test users, as messages list them.
 * @example expect(output).toContain(testUsers)
 */
export const testUsers: string = PERSONAS.map(({ username }) => username).join(', ');

type Fields = Readonly<Record<string, string>>;

/** The last page of a visit: it is not a redirect and has no form to fill in. */
export interface Page {
  url: URL;
  status: number;
  text: string;
}

interface Form {
  request: Request;
  hasField: boolean;
}

/** @returns the forms of a page, sent with the fields, the preset values of the others, and the first button of each */
function formsOf(html: string, url: string, fields: Fields): Form[] {
  return [...html.matchAll(/<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/g)].map(
    ([, action = '', inside = '']) => {
      const body = new URLSearchParams();
      for (const control of inside.match(/<(?:input|button)[^>]*>/g) ?? []) {
        const name = /\bname="([^"]+)"/.exec(control)?.[1];
        if (name && !body.has(name)) body.set(name, fields[name] ?? /\bvalue="([^"]*)"/.exec(control)?.[1] ?? '');
      }
      const request = new Request(new URL(action, url), { method: 'POST', body });
      return { request, hasField: [...body.keys()].some((name) => name in fields) };
    },
  );
}

interface Navigation {
  isEnd: (target: URL) => boolean;
  /** Submits every form, even one without any of the fields. */
  submitsAll: boolean;
}

type Send = (request: Request) => Promise<Response>;

/**
 * A user with a browser: stores cookies (for all ports, as browsers do), follows redirects, submits forms.
 * @example await new BrowserUser(provider).visit(`${site}/auth/login`, { username: 'verified' })
 */
export class BrowserUser {
  readonly #cookies = new Map<string, string>();
  readonly #provider: MockProvider | undefined;
  readonly #send: Send;

  /**
   * @param provider a mock provider to sign in at without its pages; without it the user fills in the pages of any provider
   * @param send sends a request, and follows no redirect
   */
  constructor(provider?: MockProvider, send: Send = (request) => fetch(request, { redirect: 'manual' })) {
    this.#provider = provider;
    this.#send = send;
  }

  /** Opens an address, follows redirects and submits forms, up to a page without a form that has one of the fields. */
  async visit(url: string, fields: Fields): Promise<Page> {
    return this.#navigate(url, fields, { isEnd: () => false, submitsAll: false });
  }

  /** Opens an address, and follows no redirect. */
  async get(url: string, headers: Record<string, string> = {}): Promise<Response> {
    return this.#request(new Request(url, { headers }));
  }

  /** Posts to the site as a form of its own page does, and follows no redirect. */
  async post(url: string): Promise<Response> {
    return this.#request(new Request(url, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }));
  }

  /** @returns the address to which the provider redirects at the end of an authorization request, without opening it */
  async authorize(authorizationRequest: string, fields: Fields): Promise<URL> {
    const { origin } = new URL(authorizationRequest);
    const isEnd = (target: URL): boolean => target.origin !== origin;
    const { url, status } = await this.#navigate(authorizationRequest, fields, { isEnd, submitsAll: true });
    if (url.origin === origin) throw new Error(`the provider did not redirect to the site: ${status}`);
    return url;
  }

  async #navigate(start: string, fields: Fields, { isEnd, submitsAll }: Navigation): Promise<Page> {
    let next = new Request(start);
    for (let steps = 0; steps < 20; steps += 1) {
      const response = await this.#request(next);
      const { status } = response;
      const location = response.headers.get('location');
      const text = await response.text();
      const url = new URL(location ?? next.url, next.url);
      const forms = formsOf(text, next.url, fields);
      const form = forms.find(({ hasField }) => hasField) ?? forms[0];
      const isProvider = location !== null && url.origin === this.#provider?.issuer;
      if (isProvider) next = new Request(await this.#signIn(this.#provider as MockProvider, url, fields));
      else if (location && !isEnd(url)) next = new Request(url);
      else if (!location && form && (form.hasField || submitsAll)) next = form.request;
      else return { url, status, text };
    }
    throw new Error(`more than 20 redirects and forms after ${start}`);
  }

  /** The headers of a browser's navigation: the built-in fetch cannot send all of them. */
  get navigation(): Record<string, string> {
    return { cookie: this.#cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' };
  }

  get #cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #signIn(provider: MockProvider, url: URL, { username: as = '' }: Fields): Promise<string> {
    return provider.signIn(url.href, { as, browser: this });
  }

  async #request(request: Request): Promise<Response> {
    request.headers.set('cookie', this.#cookie);
    request.headers.set('accept', 'text/html');
    const response = await this.#send(request);
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  }
}

// Below the range from which the system assigns ports to servers and connections. Each worker of jest has its own ports, so
// that no other test takes a port between the probe and its use.
const MIN_PORT = 12_000;
const BLOCKS = 20;
const PORTS_PER_WORKER = Math.min(1_000, Math.floor((firstAssignedPort() - MIN_PORT) / BLOCKS));
const first = MIN_PORT + ((Number(process.env.JEST_WORKER_ID) || 0) % BLOCKS) * PORTS_PER_WORKER;
let next = Math.floor(Math.random() * PORTS_PER_WORKER);

/** @returns the first port of the system's range; the default of Linux where it cannot be read or leaves too few other ports. */
function firstAssignedPort(): number {
  const byDefault = 32_768;
  try {
    const port = Number.parseInt(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8'), 10);
    return port >= MIN_PORT + 100 * BLOCKS ? port : byDefault;
  } catch {
    return byDefault;
  }
}

/**
 * @returns a port without a server. No two calls of a test file return the same one.
 * @example const issuer = `http://127.0.0.1:${await freePort()}`; // service_unreachable
 */
export async function freePort(): Promise<number> {
  const port = first + (next++ % PORTS_PER_WORKER);
  const probe = createServer();
  try {
    probe.listen(port, '127.0.0.1');
    await once(probe, 'listening');
  } catch {
    return freePort();
  }
  await probe[Symbol.asyncDispose]();
  return port;
}
