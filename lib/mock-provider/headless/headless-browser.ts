import { PAGE_PATHS } from '../pages/paths.js';
import { headline, type PageForm, readForm, unescaped } from './page-form.js';

/** The clinicians that are always there, for an editor to complete, or one that a test added. */
export type ClinicianName =
  | 'verified'
  | 'pending'
  | 'minimal'
  | 'connected'
  | 'hostile'
  | (string & Record<never, never>);

/** Somebody at the provider's own pages, without a browser: `provider.signIn()`. */
export interface HeadlessSignInOptions {
  /** The name of a clinician. */
  as: ClinicianName;
  /** The scopes to leave ticked. @default all that are asked for */
  approve?: readonly string[] | undefined;
  /** Press "Deny". */
  deny?: boolean | undefined;
  /**
   * Whose browser it is: any object that stands for it, as a test's agent. What the provider remembers about a browser is kept
   * with it, so that single sign-on can be tested. When another clinician signs in, they sign the one before them out first.
   * @default a browser of the clinician's own
   */
  browser?: object | undefined;
}

/** Which browser is meant: the one that was given to `signIn()`, else the clinician's own. */
export type BrowserSelector =
  | { browser: object; as?: ClinicianName | undefined }
  | { browser?: undefined; as: ClinicianName };

const MAX_STEPS = 10;

type Fetch = (url: string, init?: RequestInit) => Promise<Response>;

/** A cookie jar of its own, kept from one sign-in to the next so that single sign-on can be tested. */
export class HeadlessBrowser {
  readonly #fetch: Fetch;
  readonly #issuer: string;
  /** The issuer's path: what is elsewhere is not the provider's. */
  readonly #prefix: string;
  readonly #passwordOf: (name: string) => string;
  readonly #cookies = new Map<string, string>();
  #signedInAs: string | undefined;

  constructor(issuer: string, fetch: Fetch, passwordOf: (name: string) => string) {
    this.#issuer = issuer;
    this.#prefix = new URL(issuer).pathname.replace(/\/$/, '');
    this.#fetch = fetch;
    this.#passwordOf = passwordOf;
  }

  /** @returns the address that the provider sends the person back to. */
  async signIn(authorizeURL: string, person: HeadlessSignInOptions): Promise<string> {
    const password = this.#passwordOf(person.as);
    if (this.#signedInAs !== undefined && this.#signedInAs !== person.as) await this.#leave();
    let response = await this.#send(authorizeURL);
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const location = response.headers.get('location') ?? refreshTarget(response);
      if (location !== null) {
        const target = new URL(location, this.#issuer);
        if (person.deny && target.searchParams.has('code')) {
          throw new Error(
            `${person.as} approved this before, so there was nothing to deny. Ask with prompt=consent, or reset() first.`,
          );
        }
        if (target.origin !== new URL(this.#issuer).origin || !target.pathname.startsWith(`${this.#prefix}/oauth/`))
          return location;
        response = await this.#send(target.href);
        continue;
      }
      const page = await response.text();
      const form = readForm(page);
      const signInInstead =
        form?.action === this.#prefix + PAGE_PATHS.registration && /<a href="([^"]*)">Sign in<\/a>/.exec(page)?.[1];
      if (signInInstead && response.status < 400) {
        response = await this.#send(this.#at(unescaped(signInInstead)));
        continue;
      }
      if (form === undefined || response.status >= 400)
        throw new Error(`The provider answered ${response.status}: ${headline(page)}`);
      if (form.isConsent) fillConsent(form, person);
      else fillLogin(form, person.as, password);
      if (!form.isConsent) this.#signedInAs = person.as;
      response = await this.#send(this.#at(form.action), form.fields);
    }
    throw new Error(`The provider still asked for something after ${MAX_STEPS} pages.`);
  }

  /** Goes to the end of session as an application asks for it. @returns the address that the provider sends the person back to. */
  async signOut(logoutURL: string): Promise<string> {
    const response = await this.#send(logoutURL);
    const location = response.headers.get('location');
    if (location === null) {
      throw new Error(`The provider answered ${response.status}: ${headline(await response.text())}`);
    }
    this.#signedInAs = undefined;
    return this.#at(location);
  }

  /** Signs out on the provider's own page, as a person does who hands the browser to somebody else. */
  async #leave(): Promise<void> {
    const page = await (await this.#send(this.#at(this.#prefix + PAGE_PATHS.signOut))).text();
    const form = readForm(page);
    if (form === undefined) throw new Error(`The provider did not let ${this.#signedInAs} sign out: ${headline(page)}`);
    await (await this.#send(this.#at(form.action), form.fields)).text();
    this.#signedInAs = undefined;
  }

  #at(address: string): string {
    return new URL(address, this.#issuer).href;
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
      if (/;\s*Max-Age=0\s*(?:;|$)/i.test(line)) this.#cookies.delete(pair.slice(0, equals));
      else this.#cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return response;
  }
}

/** Where a page sends the person on by itself: the fault duplicateCallback shows one. */
function refreshTarget({ headers }: Response): string | null {
  return /^\d+; url=(.+)$/.exec(headers.get('refresh') ?? '')?.[1] ?? null;
}

function fillLogin({ fields }: PageForm, username: string, password: string): void {
  fields.set('username', username);
  fields.set('password', password);
}

function fillConsent({ fields }: PageForm, { approve, deny }: HeadlessSignInOptions): void {
  fields.set('decision', deny ? 'deny' : 'approve');
  if (approve === undefined) return;
  for (const name of [...fields.keys()]) {
    if (name.startsWith('approve_') && !approve.includes(name.slice('approve_'.length))) fields.delete(name);
  }
}
