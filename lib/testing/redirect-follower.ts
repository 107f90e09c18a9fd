import type { MockProvider } from '../mock-provider/mock-provider.js';
import { attachTrace, problemsAfter } from './attach-trace.js';
import { redactURL, visibleText } from './redact.js';
import type { SiteAgent, SiteRequest, SiteResponse } from './site-agent.js';

const MAX_REDIRECTS = 10;
const ACCEPT_PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** The values of `Sec-Fetch-Site`: the relation of the page that caused a request to its target. */
type FetchSite = 'same-origin' | 'cross-site';

/** The response that ends a chain of redirects: a page of the site, or a redirect to the provider. */
export interface FinalResponse<R extends SiteResponse> {
  response: R;
  /** The URL of the site that sent this response. */
  url: URL;
  /** The URL at the provider that it redirects to. */
  provider?: URL;
}

/** A response of the site, and where it redirects to. */
interface SiteExchange<R extends SiteResponse> {
  method: 'GET' | 'POST';
  url: URL;
  response: R;
  target: URL | undefined;
}

interface NextRequest {
  path: string;
  from: FetchSite;
  method: 'GET' | 'POST';
}

/** Follows the redirects of a site as a browser does, until one leads to the provider, and records the requests. */
export class RedirectFollower<R extends SiteResponse> {
  readonly #agent: SiteAgent<R>;
  readonly #provider: MockProvider;
  readonly #action: string;
  readonly #exchanges: SiteExchange<R>[] = [];
  readonly #origins = new Set<string>();
  readonly #firstRequest: number;

  /** @param action names in errors what failed: `sign in` */
  constructor(agent: SiteAgent<R>, provider: MockProvider, action: string) {
    this.#agent = agent;
    this.#provider = provider;
    this.#action = action;
    this.#firstRequest = provider.requests.at(-1)?.number ?? 0;
  }

  /** Accepts redirects to another origin of the site, in addition to the one that the agent uses. */
  addOrigin({ origin }: URL): void {
    this.#origins.add(origin);
  }

  async follow(path: string, from: FetchSite): Promise<FinalResponse<R>> {
    return this.#follow({ path, from, method: 'GET' });
  }

  /** Submits a form without fields of one of the site's own pages. */
  async submit(path: string): Promise<FinalResponse<R>> {
    return this.#follow({ path, from: 'same-origin', method: 'POST' });
  }

  async #follow(first: NextRequest): Promise<FinalResponse<R>> {
    let next = first;
    for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
      const { response, url, target } = await this.#send(next);
      if (!target) return { response, url };
      if (this.#isProvider(target)) return { response, url, provider: target };
      if (isSamePageOfSite(target, next.path)) this.addOrigin(target);
      if (!this.#origins.has(target.origin)) {
        throw this.failure(`the site redirected to ${target.origin}, which is neither the site nor the provider`);
      }
      next = {
        method: 'GET',
        path: target.pathname + target.search,
        from: isRedirect(response) ? next.from : 'same-origin',
      };
    }
    throw this.failure(`the site redirected more than ${MAX_REDIRECTS} times in a row`);
  }

  /** @returns an error with the reason, the requests so far and the requests that the provider refused. */
  failure(reason: string, cause?: unknown): Error {
    const requests = this.#exchanges.map((exchange) => `\n  ${exchangeLine(exchange)}`).join('');
    const problems = problemsAfter(this.#provider, this.#firstRequest);
    const refused = problems === '' ? '' : `\nThe provider refused:${problems}`;
    const message = `Could not ${this.#action}: ${reason}. Requests to the site:${requests}${refused}`;
    const error = new Error(message, cause === undefined ? {} : { cause });
    attachTrace(error, this.#provider);
    return error;
  }

  /** @returns an error for a page of the site when a redirect to the provider is expected. */
  noRedirect(response: R): Error {
    const text = visibleText(response);
    const page = text === '' ? '' : `, but returned a page: "${text}"`;
    return this.failure(`the site did not redirect to the provider${page}`);
  }

  async #send({ path, from, method }: NextRequest): Promise<SiteExchange<R>> {
    const request = this.#request(path, method).set('Sec-Fetch-Site', from).redirects(0);
    const response = await request.ok(() => true);
    const url = new URL(request.url); // supertest chooses its port when it sends
    this.#origins.add(url.origin);
    const target = isRedirect(response) ? locationOf(response, url) : refreshOf(response, url);
    const exchange: SiteExchange<R> = { method, url, response, target };
    this.#exchanges.push(exchange);
    return exchange;
  }

  #request(path: string, method: 'GET' | 'POST'): SiteRequest<R> {
    if (method === 'GET') return this.#agent.get(path);
    return this.#agent.post(path).set('Accept', ACCEPT_PAGE).type('application/x-www-form-urlencoded').send('');
  }

  #isProvider(target: URL): boolean {
    const issuer = new URL(this.#provider.issuer);
    const path = issuer.pathname.replace(/\/$/, '');
    return target.origin === issuer.origin && target.pathname.startsWith(`${path}/`);
  }
}

/** @returns true for the redirect of a login to the host of `callbackURL`: the agent sends each request to the site under test. */
function isSamePageOfSite(target: URL, path: string): boolean {
  const isMarked = target.searchParams.has('from_other_host');
  return isMarked && target.pathname === new URL(path, target).pathname;
}

function exchangeLine({ method, url, response: { status }, target }: SiteExchange<SiteResponse>): string {
  const redirect = target ? ` -> ${redactURL(target, url.origin)}` : '';
  return `${method} ${redactURL(url, url.origin)}: ${status}${redirect}`;
}

function isRedirect({ status, headers }: SiteResponse): boolean {
  return status >= 300 && status <= 399 && typeof headers.location === 'string';
}

function locationOf({ headers }: SiteResponse, url: URL): URL {
  return new URL(headers.location as string, url);
}

/** @returns the address that a page goes to at once: a site with a `SameSite=Strict` session sends such a page after a login. */
function refreshOf({ text = '' }: SiteResponse, url: URL): URL | undefined {
  const [, target] = /<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(text) ?? [];
  return target === undefined ? undefined : new URL(target.replaceAll('&amp;', '&'), url);
}
