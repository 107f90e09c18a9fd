import { digest } from '../http/digest.js';
import { randomToken } from '../http/random.js';
import type { MockClock } from './clock.js';
import { type Expiring, ExpiringMap } from './expiring-map.js';

interface ShownForm extends Expiring {
  readonly purpose: string;
  readonly browserKey: string;
  /** A value of the form that the browser cannot change, because it is stored here. */
  readonly value: string;
}

/** Any client can request a form; above the limit a new one replaces the oldest. */
const MAX_FORMS = 100_000;

/**
 * Issues one-time tokens for forms outside an authorization request: each is valid once, in the browser that the form was shown
 * in.
 */
export class FormTokenStore {
  readonly #forms: ExpiringMap<ShownForm>;

  constructor(clock: MockClock, lifetimeMs: number) {
    this.#forms = new ExpiringMap(clock, lifetimeMs, MAX_FORMS);
  }

  issue(purpose: string, browserID: string, value = ''): string {
    const token = randomToken();
    this.#forms.set(digest(token), { purpose, browserKey: digest(browserID), value });
    return token;
  }

  /** @returns the value of the form, once; undefined for a token of another purpose or browser, which remains valid. */
  consume(purpose: string, browserID: string | undefined, token: string | undefined): string | undefined {
    if (browserID === undefined || token === undefined) return undefined;
    const key = digest(token);
    const form = this.#forms.get(key);
    if (form?.purpose !== purpose || form.browserKey !== digest(browserID)) return undefined;
    this.#forms.delete(key);
    return form.value;
  }

  sweep(): void {
    this.#forms.sweep();
  }

  clear(): void {
    this.#forms.clear();
  }
}
