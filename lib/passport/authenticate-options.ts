import type { AuthenticateOptions as PassportOptions } from 'passport';
import type { AuthorizationParameters } from '../authorization-server/authorization-server.js';
import { closestName, failOption } from '../options/option-names.js';
import { parseScope } from '../scope.js';

/** Options of `passport.authenticate('clinician', { ... })` in addition to Passport's own. */
export interface ClinicianAuthenticateOptions {
  display?: 'page' | 'popup' | undefined;
  /** The page that the service shows to a user without a session (spec, GET /oauth/authorize). */
  type?: 'verify' | 'login' | undefined;
  /** A path of this site to come back to: `req.authInfo.returnTo` at the callback. */
  returnTo?: string | undefined;
  /** An earlier ID Token: prefills the sign-in identifier. */
  idTokenHint?: string | undefined;
  /** The maximum time since the user signed in at the service, in seconds (OIDC Core, `max_age`). */
  maxAge?: number | undefined;
}

/**
 * Options of `passport.authenticate('clinician', { ... })`. Of Passport's own, `scope` replaces the strategy's scope,
 * `prompt` is `none`, or one or more of `login`, `consent` and `create`, separated by spaces (OIDC Core section 3.1.2.1), and
 * `state` is the site's own data: sealed in the browser during the login, never sent to the service, `req.authInfo.state` after it.
 */
export interface AuthenticateOptions extends PassportOptions, ClinicianAuthenticateOptions {}

declare module 'passport' {
  // `passport.authenticate()` accepts them without a cast.
  interface AuthenticateOptions extends ClinicianAuthenticateOptions {}
}

declare global {
  namespace Express {
    interface AuthInfo {
      /** The option `state` of the login. */
      state?: unknown;
      /** The option `returnTo` of the login. */
      returnTo?: string;
      /** The argument of `strategy.grant()`, where option `tokenStore` is set. */
      grantID?: string;
    }
  }
}

const OWN = ['returnTo', 'idTokenHint', 'maxAge', 'display', 'prompt', 'scope', 'state', 'type'] as const;
/** Too many words are within two letters of the shorter names. */
const LONG_NAMES = OWN.filter((name) => name.length > 4 && name !== 'state');

/** Throws for an option whose name is close to one of this package's. Any other may be Passport's, or the site's own. @internal */
export function refuseMisspelledOptions(options: object): void {
  for (const given of Object.keys(options)) {
    if ((OWN as readonly string[]).includes(given)) continue;
    const closest = closestName(given.replaceAll(/[^a-z]/gi, ''), LONG_NAMES);
    if (closest)
      failOption('option_misspelled', `passport.authenticate() has no option '${given}'. Did you mean '${closest}'?`);
  }
}

/** @returns the parameters of a login. @internal */
export function authorizationParameters(
  options: AuthenticateOptions,
  extra: Record<string, string>,
): AuthorizationParameters {
  const { scope, prompt, display, type, returnTo, idTokenHint, maxAge, state } = options;
  return {
    ...(scope !== undefined && { scope: parseScope(scope) }),
    ...(prompt !== undefined && { prompt }),
    ...(display !== undefined && { display }),
    ...(type !== undefined && { type }),
    ...(returnTo !== undefined && { returnTo }),
    ...(idTokenHint !== undefined && { idTokenHint }),
    ...(maxAge !== undefined && { maxAge }),
    ...(state !== undefined && { appState: state }),
    extra,
  };
}
