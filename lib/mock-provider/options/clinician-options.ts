import { flag, type Schema, text } from '../../schema.js';
import { type Duration, duration } from './duration.js';
import { count, integer, list, nonEmptyText, number, object, omit, secret, textList, textOrNull } from './schema.js';

/** Another office of a clinician. */
export interface ClinicianLocation {
  address1?: string;
  address2?: string | null;
  city?: string;
  state?: string;
  phone?: string;
  fax?: string | null;
  zip?: string;
}

/**
 * The members of a profile (service spec, "Profile"). A member that you leave out is null or empty if its type allows it.
 * Otherwise it is absent from the response, as `maidenName` and `description` are. No value is invented. Null is sent as null.
 */
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
  /** How many colleagues the clinician has. The provider generates them, always the same. */
  colleagueCount?: number;
  description?: string;
}

/** The password of the test users, which this package publishes, and the default of every other clinician. */
export const TEST_PASSWORD = 'clinician';

/** A clinician with an account at the mock provider. */
export interface ClinicianOptions extends ClinicianProfileFields {
  /** The clinician signs in with it. */
  username: string;
  /** The password that the clinician signs in with. @default 'clinician' */
  password?: string;
  /** The service's id of the clinician, an integer. @default one of eleven digits, derived from the username */
  id?: number;
  /** The `sub` of ID Tokens. @default a UUID derived from the username */
  sub?: string;
  /** A clinician who is not verified waits in the verification queue. @default true */
  verified?: boolean;
  /** How long the clinician waits in the verification queue, from now. Not together with `verified`. */
  verifiedAfter?: Duration;
  /** The clinician's address, for scope `email`. */
  email?: string;
}

const location: Schema<ClinicianLocation> = object(
  {},
  { address1: text, address2: textOrNull, city: text, state: text, phone: text, fax: textOrNull, zip: text },
);

/** Validates {@link ClinicianOptions}. */
export const clinicianOptions: Schema<ClinicianOptions> = object(
  { username: nonEmptyText },
  {
    password: secret,
    id: integer,
    sub: nonEmptyText,
    verified: flag,
    verifiedAfter: duration,
    email: text,
    npi: count(),
    firstName: text,
    middleName: text,
    lastName: text,
    maidenName: textOrNull,
    fullName: text,
    gender: text,
    state: text,
    lat: number,
    lon: number,
    city: text,
    zip: text,
    address1: textOrNull,
    address2: textOrNull,
    phone: textOrNull,
    fax: textOrNull,
    additionalLocations: list(location),
    credentials: text,
    specialty: text,
    specialtyDetails: object({}, { abbr: text, code: text, credentialID: number, name: text, id: text }),
    hospitals: list(object({ name: text, ahaID: text }, {})),
    subspecialties: textList,
    medicalSchool: text,
    residencies: textList,
    profilePhoto: text,
    colleagueCount: count(),
    description: text,
  },
);

/** The members that `clinicians.update()` may change. */
export type ClinicianChanges = Partial<Omit<ClinicianOptions, 'username' | 'id' | 'sub'>>;

export const clinicianChanges: Schema<ClinicianChanges> = omit(clinicianOptions, ['username', 'id', 'sub']);
