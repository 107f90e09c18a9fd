import type { SiteAgent, SiteResponse } from './site-agent.js';

const MOST_REDIRECTS = 10;
const TELLING = ['error', 'prompt', 'scope', 'response_type'];

/** @returns an address fit for a test's output: what its parameters are called, and what only the harmless ones say. */
export function withoutSecrets(address: URL, base?: string): string {
  const names = [...address.searchParams].map(([name, value]) => (TELLING.includes(name) ? `${name}=${value}` : name));
  const query = names.length > 0 ? `?${names.join('&')}` : '';
  return `${address.origin === base ? '' : address.origin}${address.pathname}${query}`;
}

/** @returns the first words that a person would read in an answer. */
export function visibleWords({ text = '' }: SiteResponse): string {
  const words = text
    .replace(/<(head|script|style)\b[\s\S]*?<\/\1>/gi, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return words.length > 200 ? `${words.slice(0, 200)}...` : words;
}

/** Where a walk along the site's redirects ended: at a page of the site, or at the provider's door. */
export interface Arrival<R extends SiteResponse> {
  response: R;
  /** The site's address that gave this response. */
  at: URL;
  provider?: URL;
}

/** Follows a site's redirects as a browser does, as long as they stay at the site, and remembers what it saw. */
export class Walk<R extends SiteResponse> {
  readonly #agent: SiteAgent<R>;
  readonly #issuer: string;
  readonly #seen: string[] = [];
  readonly #origins = new Set<string>();

  constructor(agent: SiteAgent<R>, issuer: string) {
    this.#agent = agent;
    this.#issuer = issuer;
  }

  /** Counts an origin as the site's own, besides the one at which the agent reaches it. */
  knowOrigin(address: URL): void {
    this.#origins.add(address.origin);
  }

  async follow(path: string): Promise<Arrival<R>> {
    let next = path;
    for (let count = 0; count <= MOST_REDIRECTS; count += 1) {
      const { response, at } = await this.#get(next);
      const target = locationOf(response, at);
      if (!target) return { response, at };
      if (this.#isProvider(target)) return { response, at, provider: target };
      if (!this.#origins.has(target.origin)) {
        throw this.failure(`the site redirected to ${target.origin}, which is neither the site nor the provider`);
      }
      next = target.pathname + target.search;
    }
    throw this.failure(`the site redirected more than ${MOST_REDIRECTS} times in a row`);
  }

  /** @returns an error that tells what went wrong, and all that was seen until then. */
  failure(what: string, cause?: unknown): Error {
    const seen = this.#seen.map((line) => `\n  ${line}`).join('');
    return new Error(`Could not sign in: ${what}. Seen so far:${seen}`, cause === undefined ? {} : { cause });
  }

  async #get(path: string): Promise<{ response: R; at: URL }> {
    const request = this.#agent.get(path).redirects(0);
    const response = await request.ok(() => true);
    const at = new URL(request.url); // supertest knows its port only now
    this.#origins.add(at.origin);
    const target = locationOf(response, at);
    const went = target ? ` -> ${withoutSecrets(target, at.origin)}` : '';
    this.#seen.push(`GET ${withoutSecrets(at, at.origin)}: ${response.status}${went}`);
    return { response, at };
  }

  #isProvider(target: URL): boolean {
    const issuer = new URL(this.#issuer);
    const path = issuer.pathname.replace(/\/$/, '');
    return target.origin === issuer.origin && target.pathname.startsWith(`${path}/`);
  }
}

function locationOf(response: SiteResponse, at: URL): URL | undefined {
  const { location } = response.headers;
  if (response.status < 300 || response.status > 399 || typeof location !== 'string') return undefined;
  return new URL(location, at);
}
