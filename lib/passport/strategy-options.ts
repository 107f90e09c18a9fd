import { createDropIn, type DropIn } from '../drop-in.js';
import { argumentInvalid, ConfigurationError } from '../errors/errors.js';
import { type ClinicianLoginOptions, loginOptionTable, resolveChecked } from '../express/login-options.js';
import { checkOptions, failIf } from '../options/option-table.js';
import { type RelyingPartyOptions, relyingPartyOptions } from '../options/options.js';
import type { Routes } from '../options/routes.js';
import { flag, type OptionTable, type Schema } from '../schema.js';
import { SiteTokens } from './site-tokens.js';
import { hasOtherParameters, VERIFY_PARAMETERS, type VerifyFunction } from './verify.js';

/**
 * The options of `ClinicianStrategy`: the connection to the service, `pages`, `texts` and `onEvent` of `clinicianLogin()`, and those of
 * passport-oauth2 that apply.
 */
export interface ClinicianStrategyOptions
  extends RelyingPartyOptions,
    Pick<ClinicianLoginOptions, 'pages' | 'texts' | 'onEvent'> {
  /** Passes `req` to the verify function as its first argument. @default false */
  passReqToCallback?: boolean | undefined;
  /** Does not read the profile. Not in the `profile` flow, where the profile identifies the user. @default false */
  skipUserProfile?: boolean | undefined;
}

/** passport-oauth2's options that this strategy always uses. */
interface AlwaysOn {
  state?: unknown;
  pkce?: unknown;
}

const alwaysOn: Schema = {
  type: 'left out: it cannot be switched off',
  isValid: (value) => value !== false,
};

const OWN_OPTIONS: OptionTable<Omit<ClinicianStrategyOptions, keyof RelyingPartyOptions> & AlwaysOn> = {
  pages: loginOptionTable.pages,
  texts: loginOptionTable.texts,
  onEvent: loginOptionTable.onEvent,
  passReqToCallback: { ...flag, default: false },
  skipUserProfile: { ...flag, default: false },
  state: alwaysOn,
  pkce: alwaysOn,
};

/** The strategy has no routes: the site has them. */
const NO_ROUTES: Routes = {
  login: false,
  logout: false,
  endSession: false,
  forget: false,
  loggedOut: false,
  sessionCheck: false,
  clientScript: false,
  stylesheet: false,
};

/** What a strategy works with: the parts of a drop-in, whose routes do not sign users in. @internal */
export interface StrategyParts extends DropIn {
  siteTokens: SiteTokens;
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
  const { passReqToCallback = false, skipUserProfile = false } = checked;
  const resolved = resolveChecked({ ...checked, basePath: '', routes: NO_ROUTES });
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
  const dropIn = createDropIn(resolved);
  const siteTokens = new SiteTokens(dropIn.server, dropIn.tokens.revocations);
  return { ...dropIn, siteTokens, verify, passReqToCallback, skipUserProfile };
}
