import type { FaultName } from '../faults/catalogue.js';
import type { FaultOptions } from '../faults/fault.js';
import { type ClientRegistration, checkRegistration, type RegisteredClient } from '../options/client-registration.js';
import type { ClinicianChanges, ClinicianOptions } from '../options/clinician-options.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Clinician } from '../state/clinician.js';
import { badRequest } from './control-error.js';

/** How to move the clock. */
export interface ClockMove {
  reset?: boolean;
  set?: number | string;
  advance?: number | string;
  freeze?: boolean;
}

/** Moves the clock: `reset`, then `set`, then `advance`. With `freeze` it stands still exactly there; false lets it run on. */
export function moveClock({ clock }: ProviderInstance, move: ClockMove): void {
  if (move.reset) clock.reset();
  if (move.freeze === true) clock.freeze();
  if (move.set !== undefined) clock.set(move.set);
  if (move.advance !== undefined) clock.advance(move.advance);
  if (move.freeze === false) clock.resume();
}

/** Lets something go wrong: once, at the next chance, or always. */
export function queueFault(
  { faults }: ProviderInstance,
  fault: FaultOptions & { name: string; always?: boolean },
): void {
  const { name, always = false, ...options } = fault;
  if (always) faults.always(name as FaultName, options);
  else faults.next(name as FaultName, options);
}

/** Takes back what waits under a name; without one, all of it. */
export function clearFaults({ faults }: ProviderInstance, name: string | undefined): void {
  if (name === undefined) faults.clear();
  else if (faults.remove(name) === 0) throw badRequest(`No fault ${JSON.stringify(name.slice(0, 100))} is waiting.`);
}

export function addClinician({ accounts }: ProviderInstance, options: ClinicianOptions): Clinician {
  return accounts.add(options);
}

export function updateClinician(
  { accounts }: ProviderInstance,
  { username, ...changes }: ClinicianChanges & { username: string },
): Clinician {
  return accounts.update(username, changes);
}

export function registerClient({ clients }: ProviderInstance, registration: ClientRegistration): RegisteredClient {
  const checked = checkRegistration(registration);
  clients.add(checked);
  const { clientID, clientSecret, flow, scope, redirectURIs, postLogoutRedirectURIs } = checked;
  return { clientID, clientSecret, flow, scope, redirectURIs, postLogoutRedirectURIs };
}

/** Puts an application on the blacklist, or takes it off (decision 98). */
export function changeClient(
  { clients }: ProviderInstance,
  { clientID, blacklisted }: { clientID: string; blacklisted: boolean },
): void {
  if (blacklisted) clients.blacklist(clientID);
  else clients.unblacklist(clientID);
}

/** Publishes the next signing key, and signs with it unless only its publication is asked for (decision 67). @returns its kid */
export function rotateKeys({ keys }: ProviderInstance, { publishOnly = false }: { publishOnly?: boolean }): string {
  return publishOnly ? keys.publish() : keys.rotate();
}

/** Signs a clinician out at the provider, in every browser; their tokens stay (decision 81). @returns how many sessions ended */
export function signOutEverywhere(
  { accounts, sessions }: ProviderInstance,
  { username }: { username: string },
): number {
  return sessions.endAllOf(accounts.get(username).username);
}

/** Revokes the code or the tokens of one grant, by its number (decision 61). */
export function revokeGrant({ grants }: ProviderInstance, { grant: number }: { grant: number }): void {
  const grant = grants.recent().find((one) => one.number === number);
  if (grant === undefined) throw badRequest(`There is no grant ${number}.`);
  grants.revoke(grant);
}
