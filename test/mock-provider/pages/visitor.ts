import type { MockProvider } from '../../../lib/mock-provider/mock-provider.js';

/** One answer, as a browser that follows nothing by itself would see it. */
export interface Shown {
  status: number;
  headers: Headers;
  text: string;
  /** Where it redirects to. */
  location: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", '#96': '`' };

export function plain(markup: string): string {
  return markup.replace(/&(amp|lt|gt|quot|#39|#96);/g, (_, name: string) => ENTITIES[name] as string);
}

/** What a page says, without its markup. */
export function words({ text }: Shown): string {
  const main = /<main>([\s\S]*)<\/main>/.exec(text)?.[1] ?? text;
  return plain(main.replace(/<[^>]*>/g, ' '))
    .replace(/\s+/g, ' ')
    .trim();
}

export function heading({ text }: Shown): string | undefined {
  return /<h1>(.*?)<\/h1>/.exec(text)?.[1]?.replace(/<[^>]*>/g, '');
}

/** The address behind a link's words. */
export function linkTo({ text }: Shown, label: string): string {
  const [, href] = new RegExp(`<a [^>]*?href="([^"]*)"[^>]*>${label}</a>`).exec(text) ?? [];
  if (href === undefined) throw new Error(`no link ${label} in: ${text}`);
  return plain(href);
}

/** The first form of a page: where it goes, and what is in it that nobody writes. */
export function formOf({ text }: Shown): { action: string; hidden: Record<string, string> } {
  const [, action, inside] = /<form method="post" action="([^"]*)">([\s\S]*?)<\/form>/.exec(text) ?? [];
  if (action === undefined || inside === undefined) throw new Error(`no form in: ${text}`);
  const inputs = [...inside.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)];
  return {
    action,
    hidden: Object.fromEntries(inputs.map(([, name, value]) => [plain(name ?? ''), plain(value ?? '')])),
  };
}

/** Somebody at the provider, with cookies that know their paths. */
export class Visitor {
  readonly #origin: string;
  readonly #ask: typeof globalThis.fetch;
  readonly cookies: Map<string, { value: string; path: string }> = new Map();

  constructor({ issuer }: Pick<MockProvider, 'issuer'>, ask: typeof globalThis.fetch = fetch) {
    this.#ask = ask;
    this.#origin = issuer;
  }

  get(path: string, headers: Record<string, string> = {}): Promise<Shown> {
    return this.#send(path, { headers });
  }

  post(path: string, fields: Record<string, string>): Promise<Shown> {
    return this.#send(path, { method: 'POST', body: new URLSearchParams(fields) });
  }

  /** Fills in the first form of a page and sends it; follows to the next page, not out of the provider. */
  async submit(page: Shown, fields: Record<string, string>): Promise<Shown> {
    const { action, hidden } = formOf(page);
    return this.follow(await this.post(action, { ...hidden, ...fields }));
  }

  async follow(shown: Shown): Promise<Shown> {
    let last = shown;
    while (last.location.startsWith('/')) last = await this.get(last.location);
    return last;
  }

  signIn(page: Shown, username: string): Promise<Shown> {
    return this.submit(page, { username, password: 'clinician' });
  }

  async #send(path: string, init: RequestInit): Promise<Shown> {
    const url = new URL(path, this.#origin);
    const mine = [...this.cookies].filter(([, { path: at }]) => url.pathname.startsWith(at));
    const cookie = mine.map(([name, { value }]) => `${name}=${value}`).join('; ');
    const headers = { accept: 'text/html', cookie, ...init.headers };
    const answer = await this.#ask(url, { ...init, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(line) ?? [];
      const at = /; Path=([^;]*)/.exec(line)?.[1] ?? '/';
      if (value === '') this.cookies.delete(name);
      else this.cookies.set(name, { value, path: at });
    }
    const location = answer.headers.get('location') ?? '';
    return { status: answer.status, headers: answer.headers, text: await answer.text(), location };
  }
}

export const REDIRECT_URI = 'http://127.0.0.1:5001/callback';

/** The path of a good authorization request of the ready-made client. */
export function authorizePath(provider: MockProvider, more: Record<string, string> = {}): string {
  const query = new URLSearchParams({
    client_id: provider.clients.openid.clientID,
    response_type: 'code',
    redirect_uri: REDIRECT_URI,
    scope: 'openid basic colleagues email',
    state: 'a state',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    ...more,
  });
  return `/oauth/authorize?${query}`;
}

/** The parameters of the address that somebody is sent back to. */
export function callback({ location }: Shown): URLSearchParams {
  if (!location.startsWith(REDIRECT_URI)) throw new Error(`not sent back, but to "${location}"`);
  return new URL(location).searchParams;
}
