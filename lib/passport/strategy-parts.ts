import { Cookies } from '../cookies.js';
import { Events } from '../events.js';
import { type ClinicianHealth, createHealth } from '../health.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { watchFetch } from '../outages.js';
import { createPendingWork } from '../pending-work.js';
import { createRequestLimits } from '../resource-api/resource-api.js';
import { createClose } from '../session/close.js';
import { createLoginSession } from '../session/login-session.js';
import { Tokens } from '../session/tokens.js';
import { createLogin, type Login } from '../sign-in/login.js';
import { instanceID } from '../token-vault/token-store.js';
import { type ClinicianStrategyOptions, resolveStrategyOptions } from './strategy-options.js';
import type { VerifyFunction } from './verify.js';

/** Holds what a strategy works with. @internal */
export interface StrategyParts {
  resolved: ResolvedOptions;
  login: Login;
  events: Events;
  /** Absent without option `tokenStore`. */
  tokens: Tokens | undefined;
  close(): Promise<void>;
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

/** Creates the parts of a strategy without the drop-in. Throws a {@link ConfigurationError} for an invalid option. */
export function createParts(options: ClinicianStrategyOptions, verify: VerifyFunction): StrategyParts {
  const { resolved: checked, tokenStore: store, onEvent, ...settings } = resolveStrategyOptions(options, verify);
  const events = new Events({ ...checked, onEvent });
  const resolved = { ...checked, fetch: watchFetch(checked.fetch, events.outages) };
  const limits = createRequestLimits(resolved);
  const instance = instanceID(resolved);
  const onUnknownSecret = () => events.reportUnknownSecret();
  const cookies = new Cookies({ ...resolved, onUnknownSecret, instance });
  const work = createPendingWork();
  const close = createClose({ ...resolved, work, events });
  const login = createLogin({ ...resolved, cookies, loginSession: createLoginSession(instance), events, limits, work });
  const { server } = login;
  const tokens = store && new Tokens({ ...resolved, onUnknownSecret, store, events, limits, work, server });
  const health = createHealth({
    server,
    checkStore: tokens && (() => tokens.vault.checkStore()),
    clock: resolved.clock,
  });
  return { resolved, login, events, tokens, close, health, verify, ...settings };
}
