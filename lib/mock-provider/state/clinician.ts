import type { ClinicianChanges, ClinicianOptions, ClinicianProfileFields } from '../options/clinician-options.js';

/** A clinician as `provider.clinicians` shows them: the state of the moment. */
export interface Clinician extends ClinicianProfileFields {
  readonly username: string;
  readonly password: string;
  readonly id: number;
  readonly sub: string;
  readonly verified: boolean;
  readonly email?: string;
}

/** The accounts of a mock provider: `provider.clinicians`. */
export interface Clinicians {
  /** Opens an account. It stays until `stop()`; `reset()` brings it back to how it was added. */
  add(options: ClinicianOptions): Clinician;
  /** @returns a clinician. Throws a sentence with the known names when there is none of that name. */
  get(username: string): Clinician;
  /** Changes an account: `update('pending', { verified: true })`. Undone by `reset()`. */
  update(username: string, changes: ClinicianChanges): Clinician;
  /** The names of all. */
  names(): string[];
}
