import { createDropIn, type DropIn } from '../drop-in.js';
import { argumentInvalid, ConfigurationError } from '../errors/errors.js';
import { type ClinicianLoginOptions, loginOptionTable, resolveChecked } from '../express/login-options.js';
import { defined } from '../http/json.js';
import { checkOptions, failIf, flag, type OptionRule, type OptionTable } from '../options/option-table.js';
import { type RelyingPartyOptions, relyingPartyOptions } from '../options/options.js';
import type { TokenStore } from '../token-vault/token-store.js';
import { hasOtherParameters, VERIFY_PARAMETERS, type VerifyFunction } from './verify.js';

/** The options of the strategy that `clinicianLogin()` has too. */
type SharedOptions = Omit<ClinicianLoginOptions, 'tokenStore' | 'onSignIn' | 'onError'>;

/**
 * The options of `ClinicianStrategy`: those of `clinicianLogin()` without `onSignIn` and `onError`, and those of passport-oauth2 that
 * apply. Of option `routes`, `login` is the path of your route with `passport.authenticate('clinician')`, to which guards redirect;
 * without it, guards show a page.
 */
export interface ClinicianStrategyOptions extends SharedOptions {
  /** Passes `req` to the verify function as its first argument. @default false */
  passReqToCallback?: boolean | undefined;
  /**
   * Stores the tokens of every login, sealed, and sets `req.authInfo.grantID`: the argument of `strategy.grant()`.
   * @default none: only the verify function gets the tokens
   */
  tokenStore?: TokenStore | undefined;
  /** Does not read the profile. Not in the `profile` flow, where the profile identifies the user. @default false */
  skipUserProfile?: boolean | undefined;
}

/** passport-oauth2's options that this strategy always uses. */
interface AlwaysOn {
  state?: unknown;
  pkce?: unknown;
}

const alwaysOn: OptionRule<unknown> = {
  type: 'left out: it cannot be switched off',
  isValid: (value) => value !== false,
};

const { onSignIn: _onSignIn, onError: _onError, ...sharedOptions } = loginOptionTable;

const OWN_OPTIONS: OptionTable<Omit<ClinicianStrategyOptions, keyof RelyingPartyOptions> & AlwaysOn> = {
  ...sharedOptions,
  passReqToCallback: { ...flag, default: false },
  skipUserProfile: { ...flag, default: false },
  state: alwaysOn,
  pkce: alwaysOn,
};

/** What a strategy works with: the parts of a drop-in, whose routes do not sign users in. @internal */
export interface StrategyParts extends DropIn {
  verify: VerifyFunction;
  passReqToCallback: boolean;
  skipUserProfile: boolean;
}

/** Passes the parts of `clinicianLogin()` to the constructor in place of options, for `clinician.strategy`. @internal */
export class BoundParts {
  readonly parts: StrategyParts;

  constructor(parts: StrategyParts) {
    this.parts = parts;
  }
}

/** Checks the options. @returns the parts of a strategy without `clinicianLogin()`. Throws a {@link ConfigurationError} that names the option and the fix. @internal */
export function createParts(options: ClinicianStrategyOptions, verify: VerifyFunction): StrategyParts {
  const checked = checkOptions<ClinicianStrategyOptions>(options, { ...relyingPartyOptions, ...OWN_OPTIONS });
  const { passReqToCallback = false, skipUserProfile = false, basePath = '', routes } = checked;
  // Passport finishes every login, and the page of the session check would start some.
  // Without stored tokens there is nothing to forget.
  const forget = checked.tokenStore ? routes?.forget : false;
  const passed = defined({ ...routes, forget });
  const ownRoutes = { login: false, ...passed, callback: true, sessionCheck: false } as const;
  const resolved = resolveChecked({ ...checked, basePath, routes: ownRoutes });
  if (typeof verify !== 'function') {
    throw new ConfigurationError(
      'argument_invalid',
      'passport-clinician: the verify function is missing. Pass it as the second argument of ClinicianStrategy.',
    );
  }
  if (verify.length > (passReqToCallback ? 6 : 5) || hasOtherParameters(verify)) {
    throw argumentInvalid(
      `the verify function must have the parameters ${VERIFY_PARAMETERS}, as for passport-oauth2. Those of passport-openidconnect, such as (issuer, profile, done), would receive tokens in place of the profile.`,
    );
  }
  if (skipUserProfile && resolved.profileRequired) {
    const phrase =
      resolved.site.flow === 'profile'
        ? "cannot be set in the 'profile' flow, where the profile identifies the user. Remove it."
        : "cannot be set together with 'profileRequired'. Remove one of them.";
    failIf('skipUserProfile', { phrase });
  }
  return { ...createDropIn(resolved, 'strategy'), verify, passReqToCallback, skipUserProfile };
}
