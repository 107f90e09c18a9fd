import { digest } from '../http/digest.js';
import { type Expiring, ExpiringMap } from './expiring-map.js';

interface ShownForm extends Expiring {
  readonly purpose: string;
  /** A value of the form that the browser cannot change, because it is stored here. */
  readonly value: string;
}

/** The one-time tokens of forms outside an authorization request. */
export class FormTokenStore extends ExpiringMap<ShownForm> {
  add(token: string, purpose: string, value: string): void {
    this.set(digest(token), { purpose, value });
  }

  /** @returns the value of the form, once; undefined for a token of another purpose, which remains valid. */
  consume(token: string, purpose: string): string | undefined {
    const key = digest(token);
    const form = this.get(key);
    if (form?.purpose !== purpose) return undefined;
    this.delete(key);
    return form.value;
  }
}
