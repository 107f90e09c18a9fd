import type { AuthorizationServer } from '../authorization-server/authorization-server.js';
import { createCore } from '../core.js';
import type { Events } from '../events.js';
import { type ClinicianHealth, createHealth } from '../health.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { createClose } from '../session/close.js';
import { LoginSession } from '../session/login-session.js';
import { Tokens } from '../session/tokens.js';
import { Attempts } from '../sign-in/attempts.js';
import { type CallbackHost, createCallbackHost } from '../sign-in/callback-host.js';
import { Identification } from '../sign-in/identify.js';
import { type ClinicianStrategyOptions, resolveStrategyOptions } from './strategy-options.js';
import type { VerifyFunction } from './verify.js';

/** What a strategy works with. @internal */
export interface StrategyParts {
  resolved: ResolvedOptions;
  server: Pick<AuthorizationServer, 'redeem'>;
  attempts: Attempts;
  callbackHost: CallbackHost;
  identification: Identification;
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
  const core = createCore(checked, onEvent);
  const { instance, events, server } = core;
  const resolved = { ...checked, ...core };
  const callbackHost = createCallbackHost(resolved);
  const attempts = new Attempts({ ...resolved, callbackHost, loginSession: new LoginSession(instance) });
  const tokens = store && new Tokens({ ...resolved, store });
  const health = createHealth({
    server,
    checkStore: tokens && (() => tokens.vault.checkStore()),
    clock: resolved.clock,
  });
  return {
    ...{ resolved, server, attempts, callbackHost, events, tokens, health, verify },
    identification: new Identification(resolved),
    close: createClose(resolved),
    ...settings,
  };
}
