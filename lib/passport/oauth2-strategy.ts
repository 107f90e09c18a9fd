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

/** @returns passport-oauth2. Node cannot load it with --disable-proto=throw: then a class that throws, which the drop-in does not use. */
function loadOrRefuse(): typeof PassportOAuth2 {
  try {
    return createRequire(import.meta.url)('passport-oauth2') as typeof PassportOAuth2;
  } catch (error) {
    return function refuse() {
      throw error;
    } as never;
  }
}

/** passport-oauth2, with its errors. */
export const passportOAuth2: typeof PassportOAuth2 = loadOrRefuse();

/** Its class, with this package's structural type. */
export const OAuth2Strategy: new (options: object, verify: (...args: never[]) => unknown) => PassportStrategy =
  passportOAuth2 as never;
