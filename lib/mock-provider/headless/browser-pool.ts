import type { LocalExchange } from '../http/local-exchange.js';
import { type BrowserSelector, HeadlessBrowser } from './headless-browser.js';

/** The browsers of `provider.signIn()`: one per object that the caller passes as `browser`, otherwise one per clinician. */
export class BrowserPool {
  readonly #issuer: string;
  readonly #exchange: LocalExchange;
  readonly #passwordOf: (username: string) => string;
  #byObject = new WeakMap<object, HeadlessBrowser>();
  readonly #byClinician = new Map<string, HeadlessBrowser>();

  /** @param passwordOf throws a TypeError for a clinician without an account */
  constructor(issuer: string, exchange: LocalExchange, passwordOf: (username: string) => string) {
    this.#issuer = issuer;
    this.#exchange = exchange;
    this.#passwordOf = passwordOf;
  }

  /**
   * @returns the selected browser, created at its first use. Throws a TypeError when `browser` is not an object, and for
   * a clinician without an account
   */
  get({ browser, as }: BrowserSelector): HeadlessBrowser {
    if (as !== undefined) this.#passwordOf(as);
    if (browser !== undefined && Object(browser) !== browser) {
      throw new TypeError(`browser must be an object, such as the test's agent, not ${typeof browser}.`);
    }
    const known = browser === undefined ? this.#byClinician.get(as) : this.#byObject.get(browser);
    if (known !== undefined) return known;
    const created = new HeadlessBrowser(this.#issuer, this.#exchange, this.#passwordOf);
    if (browser === undefined) this.#byClinician.set(as, created);
    else this.#byObject.set(browser, created);
    return created;
  }

  clear(): void {
    this.#byObject = new WeakMap();
    this.#byClinician.clear();
  }
}
