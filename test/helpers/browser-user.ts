import type { MockProvider } from '../../lib/mock-provider/mock-provider.js';

type Fields = Readonly<Record<string, string>>;

/** The last page of a visit: it is not a redirect and has no form to fill in. */
export interface Page {
  url: URL;
  status: number;
  text: string;
}

/** @returns the request that submits the form of a page: the fields, preset values of the others, and the first button */
function submit(html: string, url: string, fields: Fields): { request: Request; hasField: boolean } | undefined {
  const form = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(html);
  const controls = (form?.[2] ?? '').match(/<(?:input|button)[^>]*>/g) ?? [];
  const body = new URLSearchParams();
  for (const control of controls) {
    const name = /\bname="([^"]+)"/.exec(control)?.[1];
    if (name && !body.has(name)) body.set(name, fields[name] ?? /\bvalue="([^"]*)"/.exec(control)?.[1] ?? '');
  }
  if (!form) return undefined;
  const request = new Request(new URL(form[1] ?? '', url), { method: 'POST', body });
  return { request, hasField: [...body.keys()].some((name) => name in fields) };
}

interface Navigation {
  isEnd: (target: URL) => boolean;
  /** Submits every form, even one without any of the fields. */
  submitsAll: boolean;
}

type Send = (request: Request) => Promise<Response>;

/** A user with a browser: stores cookies (for all ports, as browsers do), follows redirects, submits forms. */
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
      const form = submit(text, next.url, fields);
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
