import type { AuthenticateOptions as PassportOptions } from 'passport';
import type { AuthorizationParameters } from '../authorization-server/authorization-request.js';
import { defined } from '../json.js';
import {
  anything,
  closestName,
  failIf,
  type OptionRule,
  type OptionTable,
  oneOf,
  optionError,
  problemOf,
  text,
} from '../options/option-table.js';
import { type RelyingPartyOptions, relyingPartyOptions } from '../options/options.js';
import { parseScope } from '../scope.js';
import { PROMPTS, TYPES } from '../sign-in/login-request.js';

/** Holds the options of `passport.authenticate('clinician', { ... })` in addition to Passport's own. */
export interface ClinicianAuthenticateOptions {
  /** How the service shows its pages (OIDC Core section 3.1.2.1). */
  display?: 'page' | 'popup' | undefined;
  /** The page that the service shows to a user without a session (spec, GET /oauth/authorize). */
  type?: 'verify' | 'login' | undefined;
  /** A path of this site to return to: `req.authInfo.returnTo` at the callback. */
  returnTo?: string | undefined;
  /** An earlier ID Token: prefills the sign-in identifier. */
  idTokenHint?: string | undefined;
  /**
   * The maximum time since the user signed in at the service, in milliseconds: sent as `max_age`, in whole seconds (OIDC Core).
   * Not in the `profile` flow, which has no ID Token to check it with.
   */
  maxAge?: number | undefined;
}

/**
 * Holds the options of `passport.authenticate('clinician', { ... })`. Of Passport's own, `scope` replaces the strategy's scope,
 * `prompt` is `none`, or one or more of `login`, `consent` and `create`, separated by spaces (OIDC Core section 3.1.2.1), and
 * `state` is the site's own data: sealed in the browser during the login, never sent to the service, `req.authInfo.state` after
 * it.
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

type CheckedOptions = ClinicianAuthenticateOptions &
  Pick<RelyingPartyOptions, 'scope'> &
  Pick<PassportOptions, 'prompt' | 'state'>;

const RULES: OptionTable<CheckedOptions> = {
  scope: relyingPartyOptions.scope,
  prompt: {
    type: "'none', or one or more of 'login', 'consent' and 'create', separated by spaces",
    isValid: (value) => typeof value === 'string' && isPrompt(parseScope(value)),
  },
  display: oneOf('page', 'popup'),
  type: oneOf(...TYPES),
  // It may come from the request: a value that is not a path of this site becomes '/'.
  returnTo: anything,
  idTokenHint: text,
  maxAge: {
    type: 'a number of milliseconds, 0 or more',
    isValid: (value) => typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER,
  },
  state: anything,
};
/** Too many words are within two letters of the shorter names. */
const LONG_NAMES = Object.keys(RULES).filter((name) => name.length > 4 && name !== 'state');

function isPrompt(values: readonly string[]): boolean {
  return values.every((value) => PROMPTS.includes(value)) && (values.length === 1 || !values.includes('none'));
}

/** Throws for an option whose name is close to one of this package's. Any other may be Passport's, or the site's own. @internal */
export function refuseMisspelledOptions(options: object): void {
  for (const name of Object.keys(options)) {
    if (Object.hasOwn(RULES, name)) continue;
    const closest = closestName(name.replaceAll(/[^a-z]/gi, ''), LONG_NAMES);
    if (closest === undefined) continue;
    throw optionError(
      name,
      'option_misspelled',
      `passport.authenticate() has no option '${name}'. Did you mean '${closest}'?`,
    );
  }
}

/** @returns the parameters of a login. Throws for an option with an invalid value. @internal */
export function authorizationParameters(
  options: AuthenticateOptions,
  extra: Record<string, string>,
): AuthorizationParameters {
  for (const [name, rule] of Object.entries(RULES)) {
    failIf(name, problemOf(rule as OptionRule<unknown>, options[name as keyof CheckedOptions]));
  }
  const { scope, prompt, display, type, returnTo, idTokenHint, maxAge, state } = options;
  return {
    ...(scope !== undefined && { scope: parseScope(scope) }),
    ...(maxAge !== undefined && { maxAge: Math.floor(maxAge / 1000) }),
    ...defined({ prompt, display, type, returnTo, idTokenHint, appState: state }),
    extra,
  };
}
