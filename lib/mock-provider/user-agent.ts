import { PAGE_PATHS } from './pages/paths.js';

/** Somebody at the provider's own pages, without a browser: `provider.signIn()`. */
export interface Person {
  /** The name of a clinician. */
  as: string;
  /** The scopes to leave ticked. @default all that are asked for */
  approve?: readonly string[] | undefined;
  /** Press "Deny". */
  deny?: boolean | undefined;
}

const MAX_STEPS = 10;

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

interface Form {
  action: string;
  fields: URLSearchParams;
  isConsent: boolean;
}

const unescaped = (text: string) =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&#96;', '`')
    .replaceAll('&amp;', '&');

function readForm(page: string): Form | undefined {
  const [, action] = /<form method="post" action="([^"]*)">/.exec(page) ?? [];
  if (action === undefined) return undefined;
  const fields = new URLSearchParams();
  for (const [, name, value] of page.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)) {
    fields.append(unescaped(name as string), unescaped(value as string));
  }
  for (const [, name] of page.matchAll(/<input type="checkbox" [^>]*name="([^"]*)" value="yes" checked>/g)) {
    fields.append(unescaped(name as string), 'yes');
  }
  return { action: unescaped(action), fields, isConsent: page.includes('name="decision"') };
}

/** A cookie jar of its own, kept from one sign-in to the next so that single sign-on can be tested. */
export class UserAgent {
  readonly #fetch: Fetch;
  readonly #issuer: string;
  readonly #passwordOf: (name: string) => string;
  readonly #cookies = new Map<string, string>();

  constructor(issuer: string, fetch: Fetch, passwordOf: (name: string) => string) {
    this.#issuer = issuer;
    this.#fetch = fetch;
    this.#passwordOf = passwordOf;
  }

  /** @returns the address that the provider sends the person back to. */
  async signIn(authorizeURL: string, person: Person): Promise<string> {
    const password = this.#passwordOf(person.as);
    let response = await this.#send(authorizeURL);
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const location = response.headers.get('location');
      if (location !== null) {
        const target = new URL(location, this.#issuer);
        if (person.deny && target.searchParams.has('code')) {
          throw new Error(
            `${person.as} approved this before, so there was nothing to deny. Ask with prompt=consent, or reset() first.`,
          );
        }
        if (target.origin !== new URL(this.#issuer).origin || !target.pathname.startsWith('/oauth/')) return location;
        response = await this.#send(target.href);
        continue;
      }
      const page = await response.text();
      const form = readForm(page);
      const signInInstead =
        form?.action === PAGE_PATHS.registration && /<a href="([^"]*)">Sign in<\/a>/.exec(page)?.[1];
      if (signInInstead && response.status < 400) {
        response = await this.#send(new URL(unescaped(signInInstead), this.#issuer).href);
        continue;
      }
      if (form === undefined || response.status >= 400)
        throw new Error(`The provider answered ${response.status}: ${headline(page)}`);
      if (form.isConsent) fillConsent(form, person);
      else fillLogin(form, person.as, password);
      response = await this.#send(new URL(form.action, this.#issuer).href, form.fields);
    }
    throw new Error(`The provider still asked for something after ${MAX_STEPS} pages.`);
  }

  clear(): void {
    this.#cookies.clear();
  }

  async #send(url: string, form?: URLSearchParams): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#fetch(url, {
      redirect: 'manual',
      headers: { accept: 'text/html', ...(cookie !== '' && { cookie }) },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return response;
  }
}

function fillLogin({ fields }: Form, username: string, password: string): void {
  fields.set('username', username);
  fields.set('password', password);
}

function fillConsent({ fields }: Form, { approve, deny }: Person): void {
  fields.set('decision', deny ? 'deny' : 'approve');
  if (approve === undefined) return;
  for (const name of [...fields.keys()]) {
    if (name.startsWith('approve_') && !approve.includes(name.slice('approve_'.length))) fields.delete(name);
  }
}

function headline(page: string): string {
  const [, alert] = /role="alert">([^<]*)</.exec(page) ?? [];
  const [, title] = /<h1>([^<]*)<\/h1>\s*(?:<p>([^<]*)<\/p>)?/.exec(page) ?? [];
  const [, detail] = /<h1>[^<]*<\/h1>\s*<p>([^<]*)<\/p>/.exec(page) ?? [];
  return unescaped(alert ?? [title, detail].filter(Boolean).join(': ') ?? page.slice(0, 200));
}
