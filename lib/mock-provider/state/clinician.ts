import type { Duration } from '../options/duration.js';

/** One more office of a clinician. */
export interface ClinicianLocation {
  address1?: string;
  address2?: string | null;
  city?: string;
  state?: string;
  phone?: string;
  fax?: string | null;
  zip?: string;
}

/** The members of a digital CV (service spec: profile). What is left out is absent from the wire; null is sent as null. */
export interface ClinicianProfileFields {
  npi?: number;
  firstName?: string;
  middleName?: string;
  lastName?: string;
  maidenName?: string | null;
  fullName?: string;
  gender?: string;
  state?: string;
  lat?: number;
  lon?: number;
  city?: string;
  zip?: string;
  address1?: string | null;
  address2?: string | null;
  phone?: string | null;
  fax?: string | null;
  additionalLocations?: readonly ClinicianLocation[];
  credentials?: string;
  specialty?: string;
  specialtyDetails?: { abbr?: string; code?: string; credentialID?: number; name?: string; id?: string };
  hospitals?: readonly { name: string; ahaID: string }[];
  subspecialties?: readonly string[];
  medicalSchool?: string;
  residencies?: readonly string[];
  profilePhoto?: string;
  /** How many colleagues there are; they are made up one by one as they are asked for. */
  colleagueCount?: number;
  description?: string;
}

/** A clinician with an account at the mock provider. */
export interface ClinicianOptions extends ClinicianProfileFields {
  username: string;
  /** @default 'clinician' */
  password?: string;
  /** The unique service id, an integer. @default the next free one, above 32 bits (decision 89b) */
  id?: number;
  /** The user identifier of ID Tokens. @default a UUID made from the username */
  sub?: string;
  /** @default true */
  verified?: boolean;
  /** Waits in the manual verification queue for this long from now. Not together with `verified`. */
  verifiedAfter?: Duration;
  email?: string;
}

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
  update(username: string, changes: Partial<Omit<ClinicianOptions, 'username' | 'id' | 'sub'>>): Clinician;
  /** The names of all. */
  names(): string[];
}
