import { withTimeout } from '../../async/timers.js';
import type { LocalExchange, LocalResponse } from '../http/local-exchange.js';
import { PAGE_PATHS } from '../http/paths.js';
import type { ClinicianName } from '../options/personas.js';
import { DEFAULT_SCOPE, scopeTokens } from '../options/scopes.js';
import { quoted } from '../options/validate.js';
import { findLink, headline, type PageForm, readForm } from './page-form.js';

/** The options of `provider.signIn()`, which signs in on the provider's pages without a browser. */
export interface HeadlessSignInOptions {
  /** The clinician's username. */
  as: ClinicianName;
  /**
   * The scopes to approve on the consent page. Only `email` is optional there: other requested scopes are approved too. That
   * page is not shown again for scopes that were approved or refused before. To show it, send `prompt=consent`, or call
   * `reset()`. @default all requested scopes, including `email`, which the page does not tick beforehand
   */
  approve?: readonly string[] | undefined;
  /** Denies on the consent page. @default false */
  deny?: boolean | undefined;
  /**
   * Any object that identifies a browser, such as a test's agent. The provider's cookies are stored for each object, so that
   * single sign-on can be tested. Signing another clinician in first signs the previous one out.
   * @default a separate browser for each clinician
   */
  browser?: object | undefined;
}

/** The browser that you passed to `signIn()`, or the clinician's separate browser. */
export type BrowserSelector =
  | { browser: object; as?: ClinicianName | undefined }
  | { browser?: undefined; as: ClinicianName };

const MAX_REQUESTS = 10;
/** A sign-in takes a few milliseconds: one that a fault keeps pending does not stop the next ones. */
const MAX_TURN_MS = 1000;

/** Signs clinicians in and out on the provider's pages, with one cookie jar for all sign-ins. */
export class HeadlessBrowser {
  readonly #exchange: LocalExchange;
  readonly #issuer: URL;
  /** The path of the issuer, without a slash at its end. */
  readonly #prefix: string;
  readonly #passwordOf: (username: string) => string;
  readonly #cookies = new Map<string, string>();
  #signedInAs: string | undefined;
  /** What is in progress: one user at a time is signed in, so sign-ins and sign-outs wait for each other. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(issuer: string, exchange: LocalExchange, passwordOf: (username: string) => string) {
    this.#issuer = new URL(issuer);
    this.#prefix = this.#issuer.pathname.replace(/\/$/, '');
    this.#exchange = exchange;
    this.#passwordOf = passwordOf;
  }

  /**
   * Signs in from an authorization request. Throws if the provider shows an error page, or if there is nothing to deny.
   * @returns the URL that the provider redirects to, at the application
   */
  signIn(authorizeURL: string, options: HeadlessSignInOptions): Promise<string> {
    return this.#inTurn(() => this.#signIn(authorizeURL, options));
  }

  /**
   * Follows an application's logout request. Throws if the provider does not redirect.
   * @returns the URL that the provider redirects to
   */
  signOut(logoutURL: string): Promise<string> {
    return this.#inTurn(() => this.#signOut(logoutURL));
  }

  #inTurn(act: () => Promise<string>): Promise<string> {
    const result = this.#turn.then(act);
    this.#turn = this.#turn.then(() => withTimeout(MAX_TURN_MS, result)).catch(() => {});
    return result;
  }

  async #signIn(authorizeURL: string, options: HeadlessSignInOptions): Promise<string> {
    const password = this.#passwordOf(options.as);
    if (options.approve !== undefined) checkApproved(options.approve, authorizeURL);
    if (this.#signedInAs !== undefined && this.#signedInAs !== options.as) await this.#signOutOnOwnPage();
    let response = await this.#send(authorizeURL);
    for (let count = 0; count < MAX_REQUESTS; count += 1) {
      const location = locationOf(response) ?? refreshTarget(response);
      if (location === undefined) {
        response = await this.#completePage(response, options, password);
        continue;
      }
      const target = new URL(location, this.#issuer);
      if (options.deny && target.searchParams.has('code')) {
        throw new Error(
          `The consent page was not shown, because ${options.as} approved this request before. Send prompt=consent, or reset the provider first.`,
        );
      }
      if (!this.#isOwnPage(target)) return location;
      response = await this.#send(target.href);
    }
    throw new Error(`The sign-in did not end within ${MAX_REQUESTS} requests. The trace of the provider shows them.`);
  }

  async #signOut(logoutURL: string): Promise<string> {
    const response = await this.#send(logoutURL);
    const location = locationOf(response);
    if (location === undefined) throw pageError(response, await pageOf(response));
    this.#signedInAs = undefined;
    return this.#resolve(location);
  }

  /** Submits the form on a page, or follows the link from the registration page to the login page. */
  async #completePage(
    response: LocalResponse,
    options: HeadlessSignInOptions,
    password: string,
  ): Promise<LocalResponse> {
    const page = await pageOf(response);
    const form = readForm(page);
    if (form === undefined || response.status >= 400) throw pageError(response, page);
    if (form.action === this.#prefix + PAGE_PATHS.registration) {
      const loginLink = findLink(page, this.#prefix + PAGE_PATHS.login);
      if (loginLink !== undefined) return this.#send(this.#resolve(loginLink));
    }
    if (form.isConsent) fillConsent(form, options);
    else {
      form.fields.set('username', options.as);
      form.fields.set('password', password);
      this.#signedInAs = options.as;
    }
    return this.#send(this.#resolve(form.action), form.fields);
  }

  /** Signs out on the provider's sign-out page, as a clinician does before another one uses the browser. */
  async #signOutOnOwnPage(): Promise<void> {
    const response = await this.#send(this.#resolve(this.#prefix + PAGE_PATHS.signOut));
    const page = await pageOf(response);
    const form = readForm(page);
    if (form === undefined) throw pageError(response, page);
    await pageOf(await this.#send(this.#resolve(form.action), form.fields));
    this.#signedInAs = undefined;
  }

  #isOwnPage({ origin, pathname }: URL): boolean {
    return origin === this.#issuer.origin && pathname.startsWith(`${this.#prefix}/oauth/`);
  }

  #resolve(url: string): string {
    return new URL(url, this.#issuer).href;
  }

  async #send(url: string, form?: URLSearchParams): Promise<LocalResponse> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await this.#exchange({
      method: form ? 'POST' : 'GET',
      url: new URL(url),
      headers: {
        accept: 'text/html',
        ...(cookie !== '' && { cookie }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded;charset=UTF-8' }),
      },
      body: form?.toString() ?? '',
    });
    for (const line of [response.headers['Set-Cookie'] ?? []].flat()) {
      const [pair = ''] = line.split(';');
      const equals = pair.indexOf('=');
      if (/;\s*Max-Age=0\s*(?:;|$)/i.test(line)) this.#cookies.delete(pair.slice(0, equals));
      else this.#cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return response;
  }
}

/** Refuses a scope that the request does not have, such as a misspelled one. */
function checkApproved(approve: readonly string[], authorizeURL: string): void {
  const scope = scopeTokens(new URL(authorizeURL).searchParams.get('scope') ?? '');
  const requested = scope.length > 0 ? scope : Object.values(DEFAULT_SCOPE).flat();
  const unknown = approve.find((token) => !requested.includes(token));
  if (unknown === undefined) return;
  throw new TypeError(
    `approve has ${quoted(unknown)}, but the request has ${scope.join(', ') || 'no scope'}. Only email is optional.`,
  );
}

async function pageOf({ body, rest }: LocalResponse): Promise<string> {
  await rest?.();
  return body;
}

function locationOf({ headers }: LocalResponse): string | undefined {
  return headers.Location as string | undefined;
}

/** @returns the target of a Refresh header: the fault duplicateCallback redirects with one. */
function refreshTarget({ headers }: LocalResponse): string | undefined {
  return /^\d+; url=(.+)$/.exec(String(headers.Refresh))?.[1];
}

function fillConsent({ fields, choices }: PageForm, { approve, deny }: HeadlessSignInOptions): void {
  fields.set('decision', deny ? 'deny' : 'approve');
  for (const name of choices) {
    if (approve === undefined || approve.includes(name.slice('approve_'.length))) fields.set(name, 'yes');
  }
}

function pageError({ status }: LocalResponse, page: string): Error {
  return new Error(`The provider responded with ${status}: ${headline(page)}`);
}
