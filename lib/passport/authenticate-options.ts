import type { AuthenticateOptions as PassportOptions } from 'passport';
import type { AuthorizationParameters } from '../authorization-server/authorization-server.js';
import { closestName, failOption } from '../options/option-names.js';
import { parseScope } from '../scope.js';

/** What `passport.authenticate('clinician', { ... })` can ask for, beside Passport's own options. */
export interface ClinicianAuthenticateOptions {
  display?: 'page' | 'popup' | undefined;
  /** Which landing page a person without a session meets (spec, GET /oauth/authorize). */
  type?: 'verify' | 'login' | undefined;
  /** A path of this site to come back to; handed on as `req.authInfo.returnTo`. */
  returnTo?: string | undefined;
  /** An earlier ID Token: prefills the sign-in identifier. */
  idTokenHint?: string | undefined;
  /** How long ago the person may have signed in at the service, in seconds. */
  maxAge?: number | undefined;
}

/**
 * Options of `passport.authenticate('clinician', { ... })`. Of Passport's own, `scope` asks for another scope than the strategy's,
 * `prompt` is `none`, `login`, `consent`, `create`, or several of the last three by spaces (OIDC Core section 3.1.2.1), and
 * `state` is the site's own data: kept sealed through the login, handed on as `req.authInfo.state`, never sent to the service.
 */
export interface AuthenticateOptions extends PassportOptions, ClinicianAuthenticateOptions {}

declare module 'passport' {
  // Passport's own call takes these as well, without a cast.
  interface AuthenticateOptions extends ClinicianAuthenticateOptions {}
}

declare global {
  namespace Express {
    interface AuthInfo {
      /** What the login was started with. */
      state?: unknown;
      /** The path that the login was asked to come back to. */
      returnTo?: string;
      /** What `strategy.grant()` finds the tokens by, where option `tokenStore` keeps them. */
      grantID?: string;
    }
  }
}

const OWN = ['returnTo', 'idTokenHint', 'maxAge', 'display', 'prompt', 'scope', 'state', 'type'] as const;
/** Of the shorter ones too many words are only two letters away. */
const LONGER = OWN.filter((name) => name.length > 4 && name !== 'state');

/** Throws a sentence for an option that is nearly one of ours. Any other may be Passport's, or the site's own. @internal */
export function refuseMisspelledOptions(options: object): void {
  for (const given of Object.keys(options)) {
    if ((OWN as readonly string[]).includes(given)) continue;
    const meant = closestName(given.replaceAll(/[^a-z]/gi, ''), LONGER);
    if (meant)
      failOption('option_misspelled', `passport.authenticate() knows no option '${given}'. Did you mean '${meant}'?`);
  }
}

/** @returns what a login is asked for with. @internal */
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
