import { argumentInvalid } from '../errors/errors.js';
import { type ClinicianLoginOptions, loginOptionTable } from '../express/login-options.js';
import { checkOptions, failIf } from '../options/option-table.js';
import { type RelyingPartyOptions, relyingPartyOptions } from '../options/options.js';
import { type ResolvedOptions, resolveOptions } from '../options/resolve-options.js';
import { defaultRoutes, type Routes } from '../options/routes.js';
import { flag, type OptionTable, type Schema } from '../schema.js';
import type { Verification } from './accept-by-verify.js';
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
const NO_ROUTES: Routes = Object.fromEntries(Object.keys(defaultRoutes('')).map((name) => [name, name === 'callback']));

/** Checks the options. @returns them in groups. Throws a {@link ConfigurationError} that names the option and the fix. @internal */
export function resolveStrategyOptions(
  options: ClinicianStrategyOptions,
  verify: VerifyFunction,
): ResolvedOptions & Pick<ClinicianStrategyOptions, 'pages' | 'texts' | 'onEvent'> & { verification: Verification } {
  const checked = checkOptions<ClinicianStrategyOptions>(options, { ...relyingPartyOptions, ...OWN_OPTIONS });
  const { pages, texts, onEvent, passReqToCallback = false, skipUserProfile = false } = checked;
  const resolved = resolveOptions({ ...checked, basePath: '', routes: NO_ROUTES });
  if (typeof verify !== 'function') {
    throw argumentInvalid('the verify function is missing. Pass it as the second argument of ClinicianStrategy.');
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
  return { ...resolved, pages, texts, onEvent, verification: { verify, passReqToCallback, skipUserProfile } };
}
