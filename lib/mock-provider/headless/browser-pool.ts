import type { UserAgent, Whose } from './headless-browser.js';

/** The browsers that headless sign-ins come from: one for each object that stands for one, else one for each clinician. */
export class Browsers {
  readonly #open: () => UserAgent;
  #ofObjects = new WeakMap<object, UserAgent>();
  readonly #ofClinicians = new Map<string, UserAgent>();

  constructor(open: () => UserAgent) {
    this.#open = open;
  }

  of(whose: Whose): UserAgent {
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

  #clinicians(name: string): UserAgent {
    const agent = this.#ofClinicians.get(name) ?? this.#open();
    this.#ofClinicians.set(name, agent);
    return agent;
  }
}
