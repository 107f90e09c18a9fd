import { ConfigurationError } from './errors/errors.js';
import { isProduction } from './production.js';

const RESET = Symbol.for('passport-clinician.reset');

/**
 * Sets the function that `resetForTest()` calls. It is not a method, so that no editor offers it to the code of a site: in production
 * it would remove the limits of requests. The symbol is the same in each copy of this package.
 */
export function setReset(instance: object, reset: () => void): void {
  const value = () => {
    if (isProduction()) throw testOnly();
    reset();
  };
  Object.defineProperty(instance, RESET, { value });
}

/** @returns the function that resets an instance; undefined for any other value. It throws `test_only` with `NODE_ENV=production`. */
export function resetOf(instance: unknown): (() => void) | undefined {
  return (instance as { [RESET]?: () => void } | null | undefined)?.[RESET];
}

function testOnly(): ConfigurationError {
  return new ConfigurationError(
    'test_only',
    'passport-clinician: resetForTest() is for tests, and NODE_ENV is production. Remove the call: the service blacklists a site that forgets its rate limits.',
  );
}
