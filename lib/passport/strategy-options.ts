import { ConfigurationError } from '../errors.js';
import type { ClinicianEventListener } from '../events.js';
import { refuseUnknownOptions } from '../options/option-names.js';
import { checkShapes } from '../options/option-shapes.js';
import { type RelyingPartyOptions, type ResolvedOptions, resolveOptions } from '../options/options.js';
import type { TokenStore } from '../token-vault/token-store.js';

/** Options of `ClinicianStrategy`: those of the sign-in, and those of passport-oauth2 that apply. */
export interface ClinicianStrategyOptions extends RelyingPartyOptions {
  /** Passes `req` to the verify function as its first argument. @default false */
  passReqToCallback?: boolean;
  /**
   * Stores the tokens of every login, sealed, and sets `req.authInfo.grantID`: the argument of `strategy.grant()`.
   * @default none: only the verify function gets the tokens
   */
  tokenStore?: TokenStore;
  /** Receives the events of logins and their tokens. Events contain no tokens. */
  onEvent?: ClinicianEventListener;
  /** Does not read the profile. Not in the `profile` flow, where the profile identifies the user. @default false */
  skipUserProfile?: boolean;
}

const OWN_OPTIONS = ['tokenStore', 'onEvent', 'passReqToCallback', 'skipUserProfile', 'state', 'pkce'];

/** Checked options with their defaults. @internal */
export interface ResolvedStrategyOptions {
  resolved: ResolvedOptions;
  tokenStore: TokenStore | undefined;
  onEvent: ClinicianEventListener | undefined;
  passReqToCallback: boolean;
  skipUserProfile: boolean;
}

/** @returns the checked options. Throws a {@link ConfigurationError} that names the option and the fix. @internal */
export function resolveStrategyOptions(options: ClinicianStrategyOptions, verify: unknown): ResolvedStrategyOptions {
  refuseUnknownOptions(options, OWN_OPTIONS);
  checkShapes(options);
  const {
    passReqToCallback = false,
    skipUserProfile = false,
    tokenStore,
    onEvent,
    ...rest
  } = options as ClinicianStrategyOptions & Record<string, unknown>;
  refusePassportDefaults(rest);
  const resolved = resolveOptions(options);
  if (typeof verify !== 'function') {
    throw new ConfigurationError(
      'verify_missing',
      'passport-clinician: the verify function is missing. Pass it as the second argument of ClinicianStrategy.',
    );
  }
  if (skipUserProfile && resolved.flow === 'profile') {
    throw new ConfigurationError(
      'option_invalid',
      "passport-clinician: option 'skipUserProfile' cannot be set in the 'profile' flow, where the profile identifies the user. Remove it.",
    );
  }
  return { resolved, tokenStore, onEvent, passReqToCallback, skipUserProfile };
}

function refusePassportDefaults(given: Record<string, unknown>): void {
  for (const name of ['state', 'pkce']) {
    if (given[name] === false) {
      throw new ConfigurationError(
        'option_invalid',
        `passport-clinician: option '${name}' cannot be switched off. Remove it.`,
      );
    }
  }
}
