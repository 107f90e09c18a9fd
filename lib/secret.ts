import { inspect } from 'node:util';

const values = new WeakMap<Secret, string>();

/**
 * A string that never prints: not by `console.log`, not by `util.inspect`, not in JSON, not in a template.
 * Its value leaves by {@link Secret.reveal} alone, so every place that uses a secret can be found by that word.
 */
export class Secret {
  constructor(value: string) {
    values.set(this, value);
  }

  /** @returns the value itself. */
  reveal(): string {
    return values.get(this) as string;
  }

  toString(): string {
    return '[secret]';
  }

  toJSON(): string {
    return '[secret]';
  }
}

Object.defineProperty(Secret.prototype, inspect.custom, { value: () => '[secret]' });
