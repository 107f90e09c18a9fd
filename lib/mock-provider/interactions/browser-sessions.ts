import type { Cookies } from '../http/cookies.js';
import { randomToken } from '../http/random.js';
import type { MockRequest } from '../http/request.js';
import type { Account } from '../state/account.js';
import type { FormTokenStore } from '../state/form-tokens.js';
import type { Session, SessionStore } from '../state/sessions.js';

/** Reads, starts and ends the session of the browser that sent a request. */
export class BrowserSessions {
  readonly #sessions: SessionStore;
  readonly #cookies: Cookies;

  constructor(sessions: SessionStore, cookies: Cookies) {
    this.#sessions = sessions;
    this.#cookies = cookies;
  }

  /** @param cookie `inbox` for paths of the inbox, which are not below /oauth. */
  current(http: MockRequest, cookie: 'session' | 'inbox' = 'session'): Session | undefined {
    return this.#sessions.byID(this.#cookies.read(http, cookie));
  }

  /** Starts a new session, never one that the browser sent, and ends the one before. */
  start(http: MockRequest, account: Account): { id: string; session: Session; cookies: string[] } {
    const cookies = this.#cookies;
    this.#sessions.end(cookies.read(http, 'session'));
    const { id, session } = this.#sessions.start(account);
    const set = [cookies.set('session', id), cookies.set('browser_state', session.browserState)];
    return { id, session, cookies: set };
  }

  /** Ends the session and changes the browser state. @returns the cookies to set */
  end(http: MockRequest): string[] {
    this.#sessions.end(this.#cookies.read(http, 'session'));
    return [this.#cookies.set('session', ''), this.#cookies.set('browser_state', randomToken())];
  }

  /** @returns the same cookies for a browser whose session has ended without it, so that its session check replies `changed` */
  cookiesOfEnded(http: MockRequest): string[] {
    const hasEnded = this.#cookies.read(http, 'session') !== undefined && this.current(http) === undefined;
    return hasEnded ? this.end(http) : [];
  }
}

/** The forms outside an authorization request. Each is accepted once, in the browser that it was shown in. */
export class BrowserForms {
  readonly #forms: FormTokenStore;
  readonly #cookies: Cookies;

  constructor(forms: FormTokenStore, cookies: Cookies) {
    this.#forms = forms;
    this.#cookies = cookies;
  }

  /** @returns the hidden fields of a new form, and the cookies to set. */
  show(http: MockRequest, purpose: string, value: string): { hidden: { form_token: string }; cookies: string[] } {
    const { id, cookies } = this.#cookies.startInteraction(http);
    this.#forms.add(id, purpose, value);
    return { hidden: { form_token: id }, cookies };
  }

  /** @returns the value of a form and the cookie to delete; undefined for a form that is not accepted. */
  accept(http: MockRequest, purpose: string): { value: string; cookies: string[] } | undefined {
    const token = http.isForm ? http.form.get('form_token') : undefined;
    const value = this.#cookies.hasInteraction(http, token) ? this.#forms.consume(token, purpose) : undefined;
    if (token === undefined || value === undefined) return undefined;
    return { value, cookies: [this.#cookies.endInteraction(token)] };
  }
}
