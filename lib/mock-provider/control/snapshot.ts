import { FAULT_NAMES, FAULTS, type Fault, type FaultName } from '../faults/catalogue.js';
import type { QueuedFault } from '../faults/fault-queue.js';
import type { FlowName } from '../options/flow.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Problem } from '../recording/problems.js';
import type { RecordedLogin, RecordedRequest } from '../recording/recorded-request.js';
import type { Clinician } from '../state/clinician.js';
import { type GrantState, grantStates, type RateWindow, rateWindows } from './grant-state.js';

export interface ClockState {
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  readonly iso: string;
  readonly isFrozen: boolean;
  /** Milliseconds ahead of the machine. */
  readonly offset: number;
}

export interface ClientState {
  readonly clientID: string;
  readonly name: string;
  readonly flow: FlowName;
  readonly scope: readonly string[];
  readonly redirectURIs: readonly string[];
  readonly postLogoutRedirectURIs: readonly string[];
  readonly takesAnyLoopbackURI: boolean;
  readonly requiresPKCE: boolean;
  readonly blacklisted: boolean;
}

export type ClinicianState = Pick<Clinician, 'username' | 'id' | 'sub' | 'verified' | 'fullName' | 'email'> & {
  /** In how many browsers they are signed in at the provider. */
  readonly sessions: number;
};

/** A provider as whoever looks on may see it: no code, no token, no secret, no password. */
export interface InstanceSnapshot {
  readonly issuer: string;
  readonly clock: ClockState;
  /** The newest last. */
  readonly logins: readonly RecordedLogin[];
  /** What belongs to no login: discovery, keys, strangers' requests. */
  readonly otherRequests: readonly RecordedRequest[];
  readonly problems: readonly Problem[];
  readonly queuedFaults: readonly QueuedFault[];
  /** The newest first. */
  readonly grants: readonly GrantState[];
  readonly rates: readonly RateWindow[];
  readonly clients: readonly ClientState[];
  readonly clinicians: readonly ClinicianState[];
  readonly keys: { readonly current: string; readonly published: readonly string[] };
}

const MOST_LOGINS = 50;
const MOST_REQUESTS = 100;
const MOST_CLINICIANS = 100;

/** @returns the whole picture of a provider at this moment, ready for JSON. */
export function instanceSnapshot(instance: ProviderInstance): InstanceSnapshot {
  const { recorder, problems, keys, issuer } = instance;
  return {
    issuer,
    clock: clockState(instance),
    logins: recorder.logins.slice(-MOST_LOGINS),
    otherRequests: recorder.list.filter(({ login }) => login === undefined).slice(-MOST_REQUESTS),
    problems: problems.list.slice(-MOST_REQUESTS),
    queuedFaults: instance.faults.queued,
    grants: grantStates(instance),
    rates: rateWindows(instance),
    clients: clientStates(instance),
    clinicians: clinicianStates(instance),
    keys: { current: keys.current, published: keys.published },
  };
}

export function clockState({ clock }: ProviderInstance): ClockState {
  const now = clock.now();
  return { now, iso: new Date(now).toISOString(), isFrozen: clock.isFrozen, offset: Math.round(now - Date.now()) };
}

export function clientStates({ clients }: ProviderInstance): ClientState[] {
  return [...clients.all()].map((client) => ({
    clientID: client.id,
    name: client.name,
    flow: client.flow,
    scope: [...client.scope],
    redirectURIs: client.redirectURIs,
    postLogoutRedirectURIs: client.postLogoutRedirectURIs,
    takesAnyLoopbackURI: client.takesAnyLoopbackURI,
    requiresPKCE: client.requiresPKCE,
    blacklisted: client.isBlacklisted,
  }));
}

/** @returns the first hundred; a provider may have many more. */
export function clinicianStates({ accounts, sessions }: ProviderInstance): ClinicianState[] {
  const open = new Map<string, number>();
  for (const { account } of sessions.open()) open.set(account.username, (open.get(account.username) ?? 0) + 1);
  return accounts.firstNames(MOST_CLINICIANS).map((name) => {
    const { username, id, sub, verified, fullName, email } = accounts.get(name);
    const given = { ...(fullName !== undefined && { fullName }), ...(email !== undefined && { email }) };
    return { username, id, sub, verified, ...given, sessions: open.get(username) ?? 0 };
  });
}

/** A fault that can be asked for. */
export type KnownFault = Fault & { readonly name: FaultName };

export function knownFaults(): KnownFault[] {
  return FAULT_NAMES.map((name) => ({ name, ...FAULTS[name] }));
}

/** @returns a clinician as everybody may see them: without the password. */
export function shownClinician({ password: _, ...shown }: Clinician): Omit<Clinician, 'password'> {
  return shown;
}
