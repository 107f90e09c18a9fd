import { ProtocolError } from '../errors.js';
import { defined, type Members, membersOf } from './members.js';

/** One address of a clinician (service spec, "Location object members"). */
export interface ProfileLocation {
  address1?: string | null;
  address2?: string | null;
  city?: string;
  state?: string;
  phone?: string | null;
  fax?: string | null;
  zip?: string;
}

export interface SpecialtyDetails {
  abbr?: string;
  code?: string;
  credentialID?: number;
  name?: string;
  id?: string;
}

export interface Hospital {
  name?: string;
  ahaID?: string;
}

/**
 * The service's profile of one person (service spec, "Profile (current user)") in one spelling.
 * Absent is not null: a member that the service did not send is absent here; where the spec allows null, null is kept.
 * A member of another type than the spec's is absent, and stays to be seen in {@link ClinicianProfile.raw}.
 */
export interface ClinicianProfile {
  /** The service's integer, as a string: the identity of Form A. */
  id: string;
  npi?: number;
  firstName?: string;
  middleName?: string;
  lastName?: string;
  maidenName?: string | null;
  /** Display name with credential suffix. */
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
  additionalLocations?: ProfileLocation[];
  /** Such as `MD` or `DO`. */
  credentials?: string;
  specialty?: string;
  specialtyDetails?: SpecialtyDetails;
  hospitals?: Hospital[];
  subspecialties?: string[];
  medicalSchool?: string;
  residencies?: string[];
  /** Always https; another address is dropped. */
  profilePhoto?: string;
  colleagueCount?: number;
  /** True only where the service said exactly `true`. */
  verified: boolean;
  description?: string;
  /** Only with scope `email`. */
  email?: string;
  /** What the service sent, members unknown to us included. */
  raw: Record<string, unknown>;
}

/**
 * Reads the profile in both of the spec's spellings (`first_name` and `firstname`; where both come, the field list's wins).
 * @throws ProtocolError `profile_malformed` when it is no object or has no usable id
 */
export function parseProfile(json: unknown): ClinicianProfile {
  const wire = membersOf(json);
  if (wire === undefined) throw profileMalformed('it is not a JSON object of sensible depth');
  const id = wire.integer('id');
  if (id === undefined || id < 1) throw profileMalformed('its `id` is not a positive integer that can be kept exactly');

  return {
    id: String(id),
    verified: wire.isTrue('verified'),
    ...defined({
      npi: wire.integer('npi'),
      firstName: wire.string('first_name', 'firstname'),
      middleName: wire.string('middle_name', 'middlename'),
      lastName: wire.string('last_name', 'lastname'),
      maidenName: wire.stringOrNull('maiden_name', 'maidenname'),
      fullName: wire.string('full_name', 'fullname'),
      gender: wire.string('gender'),
      lat: wire.number('lat'),
      lon: wire.number('lon'),
      ...place(wire),
      additionalLocations: wire.objects('additional_locations', (item) => defined(place(item))),
      credentials: wire.string('credentials'),
      specialty: wire.string('specialty'),
      specialtyDetails: wire.object('specialty_details', specialtyDetails),
      hospitals: wire.objects('hospitals', hospital),
      subspecialties: wire.strings('subspecialties'),
      medicalSchool: wire.string('medical_school'),
      residencies: wire.strings('residencies'),
      profilePhoto: wire.httpsURL('profile_photo'),
      colleagueCount: wire.integer('colleague_count'),
      description: wire.string('description'),
      email: wire.string('email'),
    }),
    raw: wire.raw,
  };
}

function place(wire: Members) {
  return {
    address1: wire.stringOrNull('address_1'),
    address2: wire.stringOrNull('address_2'),
    city: wire.string('city'),
    state: wire.string('state'),
    phone: wire.stringOrNull('phone'),
    fax: wire.stringOrNull('fax'),
    zip: wire.string('zip'),
  };
}

function specialtyDetails(wire: Members): SpecialtyDetails {
  return defined({
    abbr: wire.string('abbr'),
    code: wire.string('code'),
    credentialID: wire.integer('credential_id'),
    name: wire.string('name'),
    id: wire.string('id'),
  });
}

function hospital(wire: Members): Hospital {
  return defined({ name: wire.string('name'), ahaID: wire.string('aha_id') });
}

/** Attack 213: what is somebody else's is never taken for this person's, `verified` least of all. */
export function profileSubjectMismatch(): ProtocolError {
  return new ProtocolError(
    'profile_subject_mismatch',
    'The service answered with the profile of somebody else than the person who signed in, so it is refused.',
  );
}

export function profileMalformed(why: string): ProtocolError {
  return new ProtocolError('profile_malformed', `The service's profile is refused: ${why}.`);
}
