import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';
import { authorization, encode, REDIRECT_URI } from './wire.js';

/** One response, before a redirect is followed. */
export interface PageResponse {
  status: number;
  headers: Headers;
  text: string;
  /** The target of a redirect, or an empty string. */
  location: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`' };

export function unescapeHTML(markup: string): string {
  return markup.replace(/&(amp|lt|gt|quot|#39|#96);/g, (_, name: string) => ENTITIES[name] as string);
}

/** @returns the text of a page without markup. */
export function textOf({ text }: PageResponse): string {
  const main = /<main>([\s\S]*)<\/main>/.exec(text)?.[1] ?? text;
  return unescapeHTML(main.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

export function heading({ text }: PageResponse): string | undefined {
  return /<h1>(.*?)<\/h1>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '');
}

/** @returns the href of the link with this text. */
export function linkTo({ text }: PageResponse, label: string): string {
  const [, href] = new RegExp(`<a [^>]*?href="([^"]*)"[^>]*>${label}</a>`).exec(text) ?? [];
  if (href === undefined) throw new Error(`no link ${label} in: ${text}`);
  return unescapeHTML(href);
}

/** @returns the action and the hidden fields of the first form of a page. */
export function formOf({ text }: PageResponse): { action: string; hidden: Record<string, string> } {
  const [, action, inside] = /<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/.exec(text) ?? [];
  if (action === undefined || inside === undefined) throw new Error(`no form in: ${text}`);
  const inputs = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return {
    action,
    hidden: Object.fromEntries(inputs.map(([, name, value]) => [unescapeHTML(name ?? ''), unescapeHTML(value ?? '')])),
  };
}

/** A user at the provider in a browser with a cookie jar. */
export class Visitor {
  readonly #origin: string;
  readonly #fetch: typeof globalThis.fetch;
  readonly cookies: Map<string, { value: string; path: string }> = new Map();

  constructor({ issuer }: Pick<MockProvider, 'issuer'>, customFetch: typeof globalThis.fetch = fetch) {
    this.#fetch = customFetch;
    this.#origin = issuer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<PageResponse> {
    return this.request('GET', path, { headers });
  }

  post(path: string, fields: Record<string, string> | [string, string][]): Promise<PageResponse> {
    return this.request('POST', path, { body: new URLSearchParams(fields) });
  }

  /** Submits the first form of a page and follows redirects inside the provider. */
  async submit(page: PageResponse, fields: Record<string, string>): Promise<PageResponse> {
    const { action, hidden } = formOf(page);
    return this.follow(await this.post(action, { ...hidden, ...fields }));
  }

  async follow(page: PageResponse): Promise<PageResponse> {
    let last = page;
    while (last.location.startsWith('/')) last = await this.get(last.location);
    return last;
  }

  signIn(page: PageResponse, username: string): Promise<PageResponse> {
    return this.submit(page, { username, password: 'clinician' });
  }

  async request(method: string, path: string, init: RequestInit = {}): Promise<PageResponse> {
    const url = new URL(path, this.#origin);
    const sentCookies = [...this.cookies].filter(([, { path: at }]) => url.pathname.startsWith(at));
    const cookie = sentCookies.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', cookie, ...init.headers };
    const response = await this.#fetch(url, { ...init, method, headers, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
      const at = /; Path=([^;]*)/.exec(line)?.[1] ?? '/';
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, { value, path: at });
    }
    const location = response.headers.get('location') ?? '';
    return { status: response.status, headers: response.headers, text: await response.text(), location };
  }
}

/** @returns the path of a valid authorization request of the default client. */
export function authorizePath(provider: MockProvider, more: Record<string, string> = {}): string {
  const fields = { scope: 'openid basic colleagues email', ...more };
  return `/oauth/authorize?${encode(authorization(provider.clients.openid, fields))}`;
}

/** @returns the path of a valid authorization request of the profile flow. */
export function profileFlowPath(provider: MockProvider, more: Record<string, string> = {}): string {
  return authorizePath(provider, { client_id: provider.clients.profile.clientID, scope: 'basic', ...more });
}

/** @returns the parameters of the redirect to the client. */
export function callback({ location }: PageResponse): URLSearchParams {
  if (!location.startsWith(REDIRECT_URI)) throw new Error(`not redirected to the client, but to "${location}"`);
  return new URL(location).searchParams;
}
