import { type Core, createCore } from '../core.js';
import { ConfigurationError } from '../errors/errors.js';
import type { ClinicianEventListener } from '../events/events.js';
import { type ClinicianHealth, createHealth } from '../health.js';
import { checkOptions, failIf, flag, func, type OptionRule, type OptionTable } from '../options/option-table.js';
import { type RelyingPartyOptions, relyingPartyOptions } from '../options/options.js';
import { resolveOptions } from '../options/resolve-options.js';
import { Tokens } from '../session/tokens.js';
import { type TokenStore, tokenStoreRule } from '../token-vault/token-store.js';
import type { VerifyFunction } from './verify.js';

/** The options of `ClinicianStrategy`: those of the sign-in, and those of passport-oauth2 that apply. */
export interface ClinicianStrategyOptions extends RelyingPartyOptions {
  /** Passes `req` to the verify function as its first argument. @default false */
  passReqToCallback?: boolean;
  /**
   * Stores the tokens of every login, sealed, and sets `req.authInfo.grantID`: the argument of `strategy.grant()`.
   * @default none: only the verify function gets the tokens
   */
  tokenStore?: TokenStore;
  /** Receives the events of logins, failures and outages: docs/monitoring.md lists them. Events contain no tokens. */
  onEvent?: ClinicianEventListener;
  /** Does not read the profile. Not in the `profile` flow, where the profile identifies the user. @default false */
  skipUserProfile?: boolean;
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

const OWN_OPTIONS: OptionTable<Omit<ClinicianStrategyOptions, keyof RelyingPartyOptions> & AlwaysOn> = {
  tokenStore: tokenStoreRule,
  onEvent: func,
  passReqToCallback: { ...flag, default: false },
  skipUserProfile: { ...flag, default: false },
  state: alwaysOn,
  pkce: alwaysOn,
};

/** What a strategy works with. @internal */
export interface StrategyParts extends Core {
  /** Absent without option `tokenStore`. */
  tokens: Tokens | undefined;
  health: () => Promise<ClinicianHealth>;
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

/** Checks the options. @returns the parts of a strategy without the drop-in. Throws a {@link ConfigurationError} that names the option and the fix. @internal */
export function createParts(options: ClinicianStrategyOptions, verify: VerifyFunction): StrategyParts {
  const checked = checkOptions<ClinicianStrategyOptions>(options, { ...relyingPartyOptions, ...OWN_OPTIONS });
  const { passReqToCallback = false, skipUserProfile = false, tokenStore: store, onEvent } = checked;
  const resolved = resolveOptions(checked);
  if (typeof verify !== 'function') {
    throw new ConfigurationError(
      'verify_missing',
      'passport-clinician: the verify function is missing. Pass it as the second argument of ClinicianStrategy.',
    );
  }
  if (skipUserProfile && resolved.profileRequired) {
    const phrase =
      resolved.flow === 'profile'
        ? "cannot be set in the 'profile' flow, where the profile identifies the user. Remove it."
        : "cannot be set together with 'profileRequired'. Remove one of them.";
    failIf('skipUserProfile', { code: 'option_invalid', phrase });
  }
  const core = createCore(resolved, onEvent);
  const tokens = store && new Tokens({ ...core, store });
  const checkStore = tokens && (() => tokens.vault.checkStore());
  const health = createHealth({ server: core.server, clock: core.clock, checkStore });
  return { ...core, tokens, health, verify, passReqToCallback, skipUserProfile };
}
