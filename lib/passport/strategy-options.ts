import { ConfigurationError } from '../errors.js';
import type { EventListener } from '../events.js';
import { refuseUnknownOptions } from '../options/option-names.js';
import { checkShapes } from '../options/option-shapes.js';
import { type ClinicianOptions, type ResolvedOptions, resolveOptions } from '../options/options.js';
import type { TokenStore } from '../token-vault/token-store.js';

/** Options of `ClinicianStrategy`: what the sign-in needs, and passport-oauth2's own that still mean something. */
export interface ClinicianStrategyOptions extends ClinicianOptions {
  /** Hands `req` to the verify function first. @default false */
  passReqToCallback?: boolean;
  /**
   * Keeps the tokens of every login, sealed, and hands on `req.authInfo.grantID`: what `strategy.grant()` finds them by.
   * @default none: the tokens are handed to the verify function and forgotten
   */
  tokenStore?: TokenStore;
  /** Hears what happens to logins and their tokens. Never told a token. */
  onEvent?: EventListener;
  /** Leaves the profile unread; only where identity does not come from it, so not in the `profile` flow. @default false */
  skipUserProfile?: boolean;
}

const OWN_OPTIONS = ['tokenStore', 'onEvent', 'passReqToCallback', 'skipUserProfile', 'state', 'pkce'];

/** Checked: every default filled in. @internal */
export interface ResolvedStrategyOptions {
  resolved: ResolvedOptions;
  tokenStore: TokenStore | undefined;
  onEvent: EventListener | undefined;
  passReqToCallback: boolean;
  skipUserProfile: boolean;
}

/** @returns the options checked. Throws a {@link ConfigurationError} whose sentence names the option and the fix. @internal */
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
      'passport-clinician: ClinicianStrategy needs a verify function as its second argument.',
    );
  }
  if (skipUserProfile && resolved.flow === 'profile') {
    throw new ConfigurationError(
      'option_invalid',
      "passport-clinician: 'skipUserProfile' cannot be set in the 'profile' flow: the profile says who signed in.",
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
