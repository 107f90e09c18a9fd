import type { ClinicianChanges, ClinicianOptions, ClinicianProfileFields } from '../options/clinician-options.js';

/** The current state of a clinician. */
export interface Clinician extends ClinicianProfileFields {
  readonly username: string;
  readonly password: string;
  readonly id: number;
  readonly sub: string;
  readonly verified: boolean;
  readonly email?: string;
}

/** Manages the accounts of a mock provider: `provider.clinicians`. */
export interface Clinicians {
  /** Adds an account. It remains until `stop()`; `reset()` restores it as it was added. Throws for invalid options. */
  add(options: ClinicianOptions): Clinician;
  /** @returns a clinician. Throws for an unknown username and lists the known ones. */
  get(username: string): Clinician;
  /** Changes an account: `update('pending', { verified: true })`. `reset()` undoes it. */
  update(username: string, changes: ClinicianChanges): Clinician;
  /** @returns all usernames. */
  names(): string[];
}
