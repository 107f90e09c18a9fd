import { ProtocolError } from '../errors.js';
import { type Members, membersOf } from './members.js';

/** One address of a clinician (service spec, "Location object members"). */
export interface ClinicianLocation {
  address1?: string | null;
  address2?: string | null;
  city?: string | null;
  state?: string | null;
  phone?: string | null;
  fax?: string | null;
  zip?: string | null;
}

export interface SpecialtyDetails {
  abbr?: string | null;
  code?: string | null;
  credentialID?: number | null;
  name?: string | null;
  id?: string | null;
}

export interface Hospital {
  name?: string | null;
  ahaID?: string | null;
}

/**
 * The service's profile of one person (service spec, "Profile (current user)") in one spelling.
 * Absent is not null: a member that the service did not send is absent here, one that it sent as null is null.
 * A member of another type than the spec's is absent, and stays to be seen in {@link ClinicianProfile.raw}.
 */
export interface ClinicianProfile {
  /** The service's integer, as a string: the identity of Form A. */
  id: string;
  npi?: number | null;
  firstName?: string | null;
  middleName?: string | null;
  lastName?: string | null;
  maidenName?: string | null;
  /** Display name with credential suffix. */
  fullName?: string | null;
  gender?: string | null;
  state?: string | null;
  lat?: number | null;
  lon?: number | null;
  city?: string | null;
  zip?: string | null;
  address1?: string | null;
  address2?: string | null;
  phone?: string | null;
  fax?: string | null;
  additionalLocations?: ClinicianLocation[] | null;
  /** Such as `MD` or `DO`. */
  credentials?: string | null;
  specialty?: string | null;
  specialtyDetails?: SpecialtyDetails | null;
  hospitals?: Hospital[] | null;
  subspecialties?: string[] | null;
  medicalSchool?: string | null;
  residencies?: string[] | null;
  /** Always https; another address is dropped. */
  profilePhoto?: string | null;
  colleagueCount?: number | null;
  /** True only where the service said exactly `true`. */
  verified: boolean;
  description?: string | null;
  /** Only with scope `email`. */
  email?: string | null;
  /** What the service sent, members unknown to us included. */
  raw: Record<string, unknown>;
}

/**
 * Reads the profile in both of the spec's spellings (`first_name` and `firstname`; where both come, the field list's wins).
 * @throws ProtocolError `profile_malformed` when it is no object or has no usable id
 */
export function parseProfile(json: unknown): ClinicianProfile {
  const wire = membersOf(json);
  if (wire === undefined) throw malformed('it is not a JSON object of sensible depth');
  const id = wire.integer('id');
  if (typeof id !== 'number' || id < 1) throw malformed('its `id` is not a positive integer that can be kept exactly');

  return {
    id: String(id),
    verified: wire.raw.verified === true,
    ...defined({
      npi: wire.integer('npi'),
      firstName: wire.string('first_name', 'firstname'),
      middleName: wire.string('middle_name', 'middlename'),
      lastName: wire.string('last_name', 'lastname'),
      maidenName: wire.string('maiden_name', 'maidenname'),
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
      profilePhoto: httpsOnly(wire.string('profile_photo')),
      colleagueCount: wire.integer('colleague_count'),
      description: wire.string('description'),
      email: wire.string('email'),
    }),
    raw: wire.raw,
  };
}

function place(wire: Members) {
  return {
    address1: wire.string('address_1'),
    address2: wire.string('address_2'),
    city: wire.string('city'),
    state: wire.string('state'),
    phone: wire.string('phone'),
    fax: wire.string('fax'),
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

function httpsOnly(address: string | null | undefined): string | null | undefined {
  if (typeof address !== 'string') return address;
  return URL.canParse(address) && new URL(address).protocol === 'https:' ? address : undefined;
}

/** @returns the object without its undefined members, so that absent stays absent. */
function defined<O extends object>(object: O): { [K in keyof O]?: Exclude<O[K], undefined> } {
  const members = Object.entries(object).filter(([, value]) => value !== undefined);
  return Object.fromEntries(members) as { [K in keyof O]?: Exclude<O[K], undefined> };
}

function malformed(why: string): ProtocolError {
  return new ProtocolError('profile_malformed', `The service's profile is refused: ${why}.`);
}
