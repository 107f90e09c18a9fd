import { PATHS } from '../http/paths.js';
import type { FaultDefinition, KindDefaults } from './fault.js';
import type { LogoutFaultName } from './fault-names.js';

/** Changes the `state` that a client gets back after a logout. */
export interface LogoutFault extends FaultDefinition<string | undefined> {
  /** True when there is nothing to spoil where the client sent none. */
  readonly needsState?: boolean;
}

const SOURCE = 'OpenID Connect RP-Initiated Logout 1.0 section 3';

export const LOGOUT_DEFAULTS: KindDefaults = { endpoint: PATHS.logout, endpoints: [PATHS.logout] };

/** What is wrong on the way back from a logout. */
export const LOGOUT_FAULTS: Readonly<Record<LogoutFaultName, LogoutFault>> = {
  logoutMissingState: {
    description: 'The way back from a logout has no state, although the client sent one.',
    source: SOURCE,
    aliases: ['oidcc-client-test-rp-init-logout-no-state', 'rp-init-logout-no-state'],
    needsState: true,
    apply: undefined,
  },
  logoutWrongState: {
    description: 'The way back from a logout has another state.',
    source: SOURCE,
    aliases: ['oidcc-client-test-rp-init-logout-other-state', 'rp-init-logout-other-state'],
    apply: 'of-somebody-else',
  },
};
