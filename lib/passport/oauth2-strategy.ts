import PassportOAuth2 from 'passport-oauth2';
import type { SessionRequest } from '../session/site-session.js';

/**
 * A strategy of passport-oauth2: the hooks that a subclass can override, and the functions that Passport adds for each
 * request. A structural type, so that the declarations of this package need no other package.
 */
export interface PassportStrategy {
  /** The name of the strategy, for `passport.authenticate()`. */
  name: string;
  /** Called by Passport. */
  authenticate(req: SessionRequest, options?: object): void;
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

/** The class of passport-oauth2, with this package's structural type. */
export const OAuth2Strategy: new (options: object, verify: (...args: never[]) => unknown) => PassportStrategy =
  PassportOAuth2 as never;
