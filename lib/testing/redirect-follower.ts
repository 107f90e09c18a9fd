import type { MockProvider } from '../mock-provider/mock-provider.js';
import { attachTrace, problemsAfter } from './attach-trace.js';
import { redactURL, visibleWords } from './redact.js';
import type { SiteAgent, SiteRequest, SiteResponse } from './site-agent.js';

const MOST_REDIRECTS = 10;
const A_PAGE = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

/** Which page led to a request, as browsers say in `Sec-Fetch-Site`: none of any site's, one of the same site, another site's. */
export type FetchSite = 'none' | 'same-origin' | 'cross-site';

/** Where a walk along the site's redirects ended: at a page of the site, or at the provider's door. */
export interface FinalResponse<R extends SiteResponse> {
  response: R;
  /** The site's address that gave this response. */
  at: URL;
  provider?: URL;
}

interface Going {
  path: string;
  from: FetchSite;
  form?: string;
}

/** Follows a site's redirects as a browser does, as long as they stay at the site, and remembers what it saw. */
export class RedirectFollower<R extends SiteResponse> {
  readonly #agent: SiteAgent<R>;
  readonly #provider: MockProvider;
  readonly #aim: string;
  readonly #seen: string[] = [];
  readonly #origins = new Set<string>();
  readonly #start: number;

  /** @param aim what cannot be done when it fails: `sign in` */
  constructor(agent: SiteAgent<R>, provider: MockProvider, aim: string) {
    this.#agent = agent;
    this.#provider = provider;
    this.#aim = aim;
    this.#start = provider.requests.at(-1)?.number ?? 0;
  }

  /** Counts an origin as the site's own, besides the one at which the agent reaches it. */
  knowOrigin(address: URL): void {
    this.#origins.add(address.origin);
  }

  async follow(path: string, from: FetchSite = 'none'): Promise<FinalResponse<R>> {
    return this.#go({ path, from });
  }

  /** Submits a form of one of the site's own pages. */
  async submit(path: string, form: string): Promise<FinalResponse<R>> {
    return this.#go({ path, from: 'same-origin', form });
  }

  async #go(start: Going): Promise<FinalResponse<R>> {
    let next = start;
    for (let count = 0; count <= MOST_REDIRECTS; count += 1) {
      const { response, at } = await this.#ask(next);
      const target = locationOf(response, at);
      const refreshed = target ?? refreshOf(response, at);
      if (!refreshed) return { response, at };
      if (this.#isProvider(refreshed)) return { response, at, provider: refreshed };
      if (!this.#origins.has(refreshed.origin)) {
        throw this.failure(`the site redirected to ${refreshed.origin}, which is neither the site nor the provider`);
      }
      next = { path: refreshed.pathname + refreshed.search, from: target ? next.from : 'same-origin' };
    }
    throw this.failure(`the site redirected more than ${MOST_REDIRECTS} times in a row`);
  }

  /** @returns an error that tells what went wrong, and all that was seen until then. */
  failure(what: string, cause?: unknown): Error {
    const seen = this.#seen.map((line) => `\n  ${line}`).join('');
    const problems = problemsAfter(this.#provider, this.#start);
    const refused = problems === '' ? '' : `\nThe provider refused:${problems}`;
    const said = `Could not ${this.#aim}: ${what}. Seen so far:${seen}${refused}`;
    const error = new Error(said, cause === undefined ? {} : { cause });
    attachTrace(error, this.#provider);
    return error;
  }

  /** @returns an error for an answer of the site where it should have gone on. */
  answeredItself(response: R): Error {
    const said = visibleWords(response);
    const saying = said === '' ? '' : `, saying "${said}"`;
    return this.failure(`the site did not redirect to the provider, but answered itself${saying}`);
  }

  async #ask({ path, from, form }: Going): Promise<{ response: R; at: URL }> {
    const request = this.#request(path, form).set('Sec-Fetch-Site', from).redirects(0);
    const response = await request.ok(() => true);
    const at = new URL(request.url); // supertest knows its port only now
    this.#origins.add(at.origin);
    const target = locationOf(response, at) ?? refreshOf(response, at);
    const went = target ? ` -> ${redactURL(target, at.origin)}` : '';
    const method = form === undefined ? 'GET' : 'POST';
    this.#seen.push(`${method} ${redactURL(at, at.origin)}: ${response.status}${went}`);
    return { response, at };
  }

  #request(path: string, form: string | undefined): SiteRequest<R> {
    if (form === undefined) return this.#agent.get(path);
    return this.#agent.post(path).set('Accept', A_PAGE).type('application/x-www-form-urlencoded').send(form);
  }

  #isProvider(target: URL): boolean {
    const issuer = new URL(this.#provider.issuer);
    const path = issuer.pathname.replace(/\/$/, '');
    return target.origin === issuer.origin && target.pathname.startsWith(`${path}/`);
  }
}

function locationOf(response: SiteResponse, at: URL): URL | undefined {
  const { location } = response.headers;
  if (response.status < 300 || response.status > 399 || typeof location !== 'string') return undefined;
  return new URL(location, at);
}

/** A page that goes on by itself at once, as sites with a `SameSite=Strict` session show one after a login. */
function refreshOf(response: SiteResponse, at: URL): URL | undefined {
  const { refresh } = response.headers;
  const [, address] = /^\s*0\s*[;,]\s*(?:url\s*=\s*)?(\S+)\s*$/i.exec(typeof refresh === 'string' ? refresh : '') ?? [];
  return address === undefined ? undefined : new URL(address, at);
}
