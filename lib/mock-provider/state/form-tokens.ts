import { digest } from '../http/digest.js';
import type { MockClock } from './clock.js';
import { ExpiringMap } from './expiring-map.js';
import { randomToken } from './random.js';

interface ShownForm {
  readonly purpose: string;
  readonly browserKey: string;
  /** What the form is about: kept here, so that nobody can send another. */
  readonly about: string;
}

/** Anybody can have one shown; so many are kept, and then the oldest goes. */
const LIMIT = 100_000;

/** One-time tokens for the forms that belong to no authorization request: good once, in the browser that they were shown in. */
export class FormTokenStore {
  readonly #forms: ExpiringMap<ShownForm>;

  constructor(clock: MockClock, lifetime: number) {
    this.#forms = new ExpiringMap(clock, lifetime, LIMIT);
  }

  issue(purpose: string, browserID: string, about = ''): string {
    const token = randomToken();
    this.#forms.set(digest(token), { purpose, browserKey: digest(browserID), about });
    return token;
  }

  /** @returns what the form is about, once; undefined for a token of another purpose or browser, which stays good. */
  take(purpose: string, browserID: string | undefined, token: string | undefined): string | undefined {
    if (browserID === undefined || token === undefined) return undefined;
    const key = digest(token);
    const form = this.#forms.get(key);
    if (form?.purpose !== purpose || form.browserKey !== digest(browserID)) return undefined;
    this.#forms.delete(key);
    return form.about;
  }

  sweep(): void {
    this.#forms.sweep();
  }

  clear(): void {
    this.#forms.clear();
  }
}
