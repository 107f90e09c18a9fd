import { OptionError } from '../options/validate.js';
import type { BrowserSelector, HeadlessBrowser } from './headless-browser.js';

/** The browsers of `provider.signIn()`: one per object that the caller passes as `browser`, otherwise one per clinician. */
export class BrowserPool {
  readonly #createBrowser: () => HeadlessBrowser;
  #byObject = new WeakMap<object, HeadlessBrowser>();
  readonly #byClinician = new Map<string, HeadlessBrowser>();

  constructor(createBrowser: () => HeadlessBrowser) {
    this.#createBrowser = createBrowser;
  }

  /** @returns the selected browser, created at its first use. Throws an {@link OptionError} when `browser` is not an object. */
  get({ browser, as }: BrowserSelector): HeadlessBrowser {
    if (browser !== undefined && Object(browser) !== browser) {
      throw new OptionError(`browser must be an object, such as the test's agent, not ${typeof browser}.`);
    }
    const known = browser === undefined ? this.#byClinician.get(as) : this.#byObject.get(browser);
    if (known !== undefined) return known;
    const created = this.#createBrowser();
    if (browser === undefined) this.#byClinician.set(as, created);
    else this.#byObject.set(browser, created);
    return created;
  }

  clear(): void {
    this.#byObject = new WeakMap();
    this.#byClinician.clear();
  }
}
