import type { MockProvider } from '../lib/mock-provider/mock-provider.js';

type Fields = Readonly<Record<string, string>>;

/** What a person has before them once nothing redirects any further and no form is left that they can fill in. */
export interface Page {
  url: URL;
  status: number;
  text: string;
}

/** @returns the page's form as a person fills it in: what it has already stays, and the first of its buttons is pressed. */
function filledIn(html: string, url: string, fields: Fields): { request: Request; isKnown: boolean } | undefined {
  const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(html);
  const controls = (form?.[2] ?? '').match(/<(?:input|button)[^>]*>/g) ?? [];
  const body = new URLSearchParams();
  for (const control of controls) {
    const name = /\bname="([^"]+)"/.exec(control)?.[1];
    if (name && !body.has(name)) body.set(name, fields[name] ?? /\bvalue="([^"]*)"/.exec(control)?.[1] ?? '');
  }
  if (!form) return undefined;
  const request = new Request(new URL(form[1] ?? '', url), { method: 'POST', body });
  return { request, isKnown: [...body.keys()].some((name) => name in fields) };
}

interface Way {
  isEnd: (target: URL) => boolean;
  fillsInAll: boolean;
}

/** A person with a browser: keeps cookies, as a browser does without regard to ports, follows redirects, fills in forms. */
export class BrowserUser {
  readonly #cookies = new Map<string, string>();
  readonly #provider: MockProvider | undefined;

  /** @param provider where they sign in as the test kit does; without it they fill in the pages of whatever provider there is */
  constructor(provider?: MockProvider) {
    this.#provider = provider;
  }

  /** Opens an address and goes on, up to a page that has no form with any of these fields. */
  async visit(url: string, fields: Fields): Promise<Page> {
    return this.#go(url, fields, { isEnd: () => false, fillsInAll: false });
  }

  /** Presses a button of the site's own page that posts, and does not go on from the answer. */
  async post(url: string): Promise<Response> {
    return this.#send(new Request(url, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }));
  }

  /** Goes from the authorization request to the address that the provider sends them back to, and not on to there. */
  async answer(authorizationRequest: string, fields: Fields): Promise<URL> {
    const { origin } = new URL(authorizationRequest);
    const isEnd = (target: URL): boolean => target.origin !== origin;
    const { url, status } = await this.#go(authorizationRequest, fields, { isEnd, fillsInAll: true });
    if (url.origin === origin) throw new Error(`the provider never sent the person back, but answered ${status}`);
    return url;
  }

  async #go(start: string, fields: Fields, { isEnd, fillsInAll }: Way): Promise<Page> {
    let next = new Request(start);
    for (let steps = 0; steps < 20; steps += 1) {
      const response = await this.#send(next);
      const { status } = response;
      const location = response.headers.get('location');
      const text = await response.text();
      const url = new URL(location ?? next.url, next.url);
      const form = filledIn(text, next.url, fields);
      const isProvider = location !== null && url.origin === this.#provider?.issuer;
      if (isProvider) next = new Request(await this.#signIn(this.#provider as MockProvider, url, fields));
      else if (location && !isEnd(url)) next = new Request(url);
      else if (!location && form && (form.isKnown || fillsInAll)) next = form.request;
      else return { url, status, text };
    }
    throw new Error('it went on and on');
  }

  /** What a browser's navigation sends, which the built-in fetch cannot: its requests are those of a script. */
  get navigation(): Record<string, string> {
    return { cookie: this.#cookie, accept: 'text/html', 'sec-fetch-mode': 'navigate', 'sec-fetch-site': 'same-origin' };
  }

  get #cookie(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  }

  #signIn(provider: MockProvider, url: URL, { username: as = '' }: Fields): Promise<string> {
    return provider.signIn(url.href, { as, browser: this });
  }

  async #send(request: Request): Promise<Response> {
    request.headers.set('cookie', this.#cookie);
    request.headers.set('accept', 'text/html');
    const response = await fetch(request, { redirect: 'manual' });
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1));
    }
    return response;
  }
}
