import type { BrowserSelector, HeadlessBrowser } from './headless-browser.js';

/** The browsers that headless sign-ins come from: one for each object that stands for one, else one for each clinician. */
export class BrowserPool {
  readonly #open: () => HeadlessBrowser;
  #ofObjects = new WeakMap<object, HeadlessBrowser>();
  readonly #ofClinicians = new Map<string, HeadlessBrowser>();

  constructor(open: () => HeadlessBrowser) {
    this.#open = open;
  }

  of(whose: BrowserSelector): HeadlessBrowser {
    if (whose.browser === undefined) return this.#clinicians(whose.as);
    const { browser } = whose;
    if (Object(browser) !== browser) {
      throw new TypeError(
        `browser must be an object that stands for a browser, as a test's agent, not ${typeof browser}.`,
      );
    }
    const agent = this.#ofObjects.get(browser) ?? this.#open();
    this.#ofObjects.set(browser, agent);
    return agent;
  }

  clear(): void {
    this.#ofObjects = new WeakMap();
    this.#ofClinicians.clear();
  }

  #clinicians(name: string): HeadlessBrowser {
    const agent = this.#ofClinicians.get(name) ?? this.#open();
    this.#ofClinicians.set(name, agent);
    return agent;
  }
}
