import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type PassportOAuth2 from 'passport-oauth2';

/**
 * A strategy of passport-oauth2: the hooks that a subclass can override, and the functions that Passport adds for each
 * request. A structural type, so that the declarations of this package need no other package.
 */
export interface PassportStrategy {
  /** The name of the strategy, for `passport.authenticate()`. */
  name: string;
  /** Called by Passport. */
  authenticate(req: IncomingMessage, options?: object): void;
  /** @returns more parameters for the authorization request. A subclass can override it. @param options of the call of `authenticate()` */
  authorizationParams(options: object): object;
  /** Signs the user in. */
  success(user: unknown, info?: object): void;
  /** Refuses the request. */
  fail(challenge: object | string, status?: number): void;
  /** Redirects the browser. */
  redirect(url: string, status?: number): void;
  /** Continues without a decision. */
  pass(): void;
  /** Passes an error to the error handlers of the site. */
  error(error: unknown): void;
}

/**
 * @returns passport-oauth2, which is loaded when it is first used: a site with only the drop-in does not need it, and Node cannot load it
 * with --disable-proto=throw.
 */
export function passportOAuth2(): typeof PassportOAuth2 {
  return createRequire(import.meta.url)('passport-oauth2') as typeof PassportOAuth2;
}

/** The class of passport-oauth2, loaded when the first strategy is created, with this package's structural type. */
export const OAuth2Strategy = function createStrategy(...args: unknown[]) {
  const loaded = passportOAuth2();
  Object.setPrototypeOf(createStrategy, loaded);
  Object.setPrototypeOf(createStrategy.prototype, loaded.prototype);
  return Reflect.construct(loaded, args, new.target as never);
} as never as new (
  options: object,
  verify: (...args: never[]) => unknown,
) => PassportStrategy;
