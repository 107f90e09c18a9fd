import { FAULT_NAMES, FAULTS, type Fault, type FaultName } from '../faults/catalogue.js';
import type { FlowName } from '../options/scopes.js';
import type { ClientStore } from '../state/clients.js';
import type { Clinician } from '../state/clinician.js';
import type { MockClock } from '../state/clock.js';

// The state of a provider as JSON: without passwords, secrets, codes and tokens.

export interface ClockState {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly iso: string;
  readonly isFrozen: boolean;
  /** Milliseconds ahead of the machine's clock. */
  readonly offset: number;
}

export interface ClientState {
  readonly clientID: string;
  /** The registered name, if there is one. */
  readonly name?: string;
  readonly flow: FlowName;
  readonly scope: readonly string[];
  readonly redirectURIs: readonly string[];
  readonly postLogoutRedirectURIs: readonly string[];
  readonly takesAnyLoopbackURI: boolean;
  readonly requiresPKCE: boolean;
  readonly blacklisted: boolean;
}

export type PublicClinician = Omit<Clinician, 'password'>;

/** A fault of the catalogue. */
export type KnownFault = Fault & { readonly name: FaultName };

export function clockState(clock: MockClock): ClockState {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), isFrozen: clock.isFrozen, offset: Math.round(now - Date.now()) };
}

export function clientStates(clients: ClientStore): ClientState[] {
  return [...clients.all()].map((client) => ({
    clientID: client.id,
    ...(client.name !== undefined && { name: client.name }),
    flow: client.flow,
    scope: [...client.scope],
    redirectURIs: client.redirectURIs,
    postLogoutRedirectURIs: client.postLogoutRedirectURIs,
    takesAnyLoopbackURI: client.takesAnyLoopbackURI,
    requiresPKCE: client.requiresPKCE,
    blacklisted: client.isBlacklisted,
  }));
}

export function knownFaults(): KnownFault[] {
  return FAULT_NAMES.map((name) => ({ name, ...FAULTS[name] }));
}

export function withoutPassword({ password: _, ...shown }: Clinician): PublicClinician {
  return shown;
}
