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
    if (browser === undefined) return this.#byClinician.get(as) ?? this.#add(this.#byClinician, as);
    if (Object(browser) !== browser) {
      throw new TypeError(`browser must be an object, such as the test's agent, not ${typeof browser}.`);
    }
    return this.#byObject.get(browser) ?? this.#add(this.#byObject, browser);
  }

  #add<K extends WeakKey | string>(
    browsers: { set(key: K, value: HeadlessBrowser): unknown },
    key: K,
  ): HeadlessBrowser {
    const browser = new HeadlessBrowser(this.#issuer, this.#exchange, this.#passwordOf);
    browsers.set(key, browser);
    return browser;
  }

  clear(): void {
    this.#byObject = new WeakMap();
    this.#byClinician.clear();
  }
}
