import { explainFakeTimers } from '../async/timers.js';
import { maskURL } from '../mock-provider/http/masking.js';
import type { MockProvider } from '../mock-provider/mock-provider.js';
import { attachTrace, problemsAfter } from './attach-trace.js';
import type { SiteAgent, SiteRequest, SiteResponse } from './site-agent.js';

const MAX_REDIRECTS = 10;
const MAX_TEXT_LENGTH = 200;
const ACCEPT_PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

type Method = 'GET' | 'POST';

/** The values of `Sec-Fetch-Site`: the relation of the page that caused a request to its target. */
type FetchSite = 'same-origin' | 'cross-site';

/** A response of the site. */
interface SiteExchange<R extends SiteResponse> {
  method: Method;
  url: URL;
  response: R;
  /** The URL that it redirects to. */
  target: URL | undefined;
}

/** Follows the redirects of a site as a browser does, until one leads to the provider, and records the requests. */
export class RedirectFollower<R extends SiteResponse> {
  readonly #agent: SiteAgent<R>;
  readonly #provider: MockProvider;
  readonly #action: string;
  readonly #exchanges: SiteExchange<R>[] = [];
  /** The origins of the site: that of the agent, and that of `callbackURL`. The agent sends the requests to both to the site. */
  readonly #origins = new Set<string>();
  readonly #firstRequest: number;

  /** @param action names in errors what failed: `sign in` */
  constructor(agent: SiteAgent<R>, provider: MockProvider, action: string) {
    this.#agent = agent;
    this.#provider = provider;
    this.#action = action;
    this.#firstRequest = provider.requests.at(-1)?.number ?? 0;
  }

  /** @returns the last response: a page of the site, or a redirect to the provider. A POST submits a form without fields. */
  async follow(path: string, from: FetchSite, method: Method = 'GET'): Promise<SiteExchange<R>> {
    let exchange = await this.#send(path, from, method);
    let relation = from;
    for (let redirects = 0; ; redirects += 1) {
      const { response, url, target } = exchange;
      if (!target || this.#isProvider(target)) return exchange;
      // A login at another name of this machine is redirected to the same path on the host of callbackURL.
      if (target.pathname === url.pathname) this.#origins.add(target.origin);
      if (!this.#origins.has(target.origin))
        throw this.failure(`the site redirected to ${target.origin}, which is neither the site nor the provider`);
      if (redirects === MAX_REDIRECTS)
        throw this.failure(`the site redirected more than ${MAX_REDIRECTS} times in a row`);
      if (!isRedirect(response)) relation = 'same-origin';
      exchange = await this.#send(target.pathname + target.search, relation, 'GET');
    }
  }

  /**
   * Continues at the URL of the site that the provider redirects to.
   * @param visit the pages of the provider @returns the last response of the site
   */
  async continueAfter(visit: Promise<string>): Promise<R> {
    const url = await visit.catch((error: Error) => {
      throw this.failure(`the provider did not redirect back to the site: ${error.message}`, error);
    });
    const { origin, pathname, search } = new URL(url);
    this.#origins.add(origin);
    const { response, target } = await this.follow(pathname + search, 'cross-site');
    if (target) throw this.failure('the site redirected to the provider again');
    return response;
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

  async #send(path: string, from: FetchSite, method: Method): Promise<SiteExchange<R>> {
    const request = this.#request(path, method).set('Sec-Fetch-Site', from).redirects(0);
    const response = await explainFakeTimers(request.ok(() => true));
    const url = new URL(request.url); // supertest chooses its port when it sends
    this.#origins.add(url.origin);
    const exchange: SiteExchange<R> = { method, url, response, target: targetOf(response, url) };
    this.#exchanges.push(exchange);
    return exchange;
  }

  #request(path: string, method: Method): SiteRequest<R> {
    if (method === 'GET') return this.#agent.get(path);
    return this.#agent.post(path).set('Accept', ACCEPT_PAGE).type('application/x-www-form-urlencoded').send('');
  }

  #isProvider(target: URL): boolean {
    const issuer = new URL(this.#provider.issuer).href.replace(/\/$/, '');
    return target.href.startsWith(`${issuer}/`);
  }
}

function exchangeLine({ method, url, response: { status }, target }: SiteExchange<SiteResponse>): string {
  const shown = ({ href }: URL) => maskURL(href.replace(url.origin, ''));
  return `${method} ${shown(url)}: ${status}${target ? ` -> ${shown(target)}` : ''}`;
}

function isRedirect({ status, headers }: SiteResponse): boolean {
  return status >= 300 && status <= 399 && typeof headers.location === 'string';
}

/** @returns the URL of a redirect, or of a page that goes there at once, as a site with a `SameSite=Strict` session sends it. */
function targetOf(response: SiteResponse, url: URL): URL | undefined {
  if (isRedirect(response)) return new URL(response.headers.location as string, url);
  const [, target] = /<meta http-equiv="refresh" content="0; url=([^"]+)">/.exec(response.text ?? '') ?? [];
  return target === undefined ? undefined : new URL(target.replaceAll('&amp;', '&'), url);
}

/** @returns the first 200 characters of the text that a page shows. */
function visibleText({ text = '' }: SiteResponse): string {
  const visible = text.replace(/<(head|script|style)\b[\s\S]*?<\/\1>|<[^>]*>/gi, ' ').replace(/\s+/g, ' ');
  return visible.trim().slice(0, MAX_TEXT_LENGTH);
}
