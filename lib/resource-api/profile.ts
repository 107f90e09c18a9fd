import { ProtocolError } from '../errors/errors.js';
import { defined } from '../http/json.js';
import { Members } from './members.js';

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

/** The specialty of a clinician with its codes (service spec, "Profile (current user)"). */
export interface SpecialtyDetails {
  abbr?: string;
  code?: string;
  credentialID?: number;
  name?: string;
  id?: string;
}

/** One hospital of a clinician; `ahaID` is the id of the American Hospital Association. */
export interface Hospital {
  name?: string;
  ahaID?: string;
}

/**
 * The profile of one user (service spec, "Profile (current user)"), in one spelling. A member that the service did not
 * send is absent; null remains null if the spec allows it. A member of another type than in the spec is only in `raw`.
 */
export interface ClinicianProfile {
  /** The service's integer, as a string: the identity of the `profile` flow. */
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
  /** Degrees. */
  lat?: number;
  /** Degrees. */
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
  /** An https URL. Other URLs are dropped. */
  profilePhoto?: string;
  colleagueCount?: number;
  /** True only if the service sent exactly `true`. */
  verified: boolean;
  description?: string;
  /** Only with scope `email`. */
  email?: string;
  /** The members as the service sent them, including unknown ones. */
  raw: Record<string, unknown>;
}

/**
 * @returns the id of a profile
 * @throws ProtocolError `response_malformed` when it is not valid
 */
export function profileID(profile: Record<string, unknown>): string {
  const id = Object.hasOwn(profile, 'id') ? profile.id : undefined;
  if (!Number.isSafeInteger(id) || (id as number) < 1) {
    throw profileMalformed('its `id` is not a positive safe integer');
  }
  return String(id);
}

/**
 * Parses a profile, in both spellings of the service spec. `first_name` takes precedence over `firstname`.
 * @throws ProtocolError `response_malformed` when it is not an object, or has no valid id
 */
export function parseProfile(json: unknown, apiURL?: string): ClinicianProfile {
  const members = Members.of(json);
  if (members === undefined) throw profileMalformed('it is not a JSON object of at most 32 levels');
  return {
    id: profileID(members.raw),
    verified: members.isTrue('verified'),
    ...defined({
      npi: members.integer('npi'),
      firstName: members.string('first_name', 'firstname'),
      middleName: members.string('middle_name', 'middlename'),
      lastName: members.string('last_name', 'lastname'),
      maidenName: members.stringOrNull('maiden_name', 'maidenname'),
      fullName: members.string('full_name', 'fullname'),
      gender: members.string('gender'),
      lat: members.number('lat'),
      lon: members.number('lon'),
      ...parseAddress(members),
      additionalLocations: members.objects('additional_locations', (item) => defined(parseAddress(item))),
      credentials: members.string('credentials'),
      specialty: members.string('specialty'),
      specialtyDetails: members.object('specialty_details', parseSpecialtyDetails),
      hospitals: members.objects('hospitals', parseHospital),
      subspecialties: members.strings('subspecialties'),
      medicalSchool: members.string('medical_school'),
      residencies: members.strings('residencies'),
      profilePhoto: members.imageURL('profile_photo', apiURL),
      colleagueCount: members.integer('colleague_count'),
      description: members.string('description'),
      email: members.string('email'),
    }),
    raw: members.raw,
  };
}

function parseAddress(members: Members) {
  return {
    address1: members.stringOrNull('address_1'),
    address2: members.stringOrNull('address_2'),
    city: members.string('city'),
    state: members.string('state'),
    phone: members.stringOrNull('phone'),
    fax: members.stringOrNull('fax'),
    zip: members.string('zip'),
  };
}

function parseSpecialtyDetails(members: Members): SpecialtyDetails {
  return defined({
    abbr: members.string('abbr'),
    code: members.string('code'),
    credentialID: members.integer('credential_id'),
    name: members.string('name'),
    id: members.string('id'),
  });
}

function parseHospital(members: Members): Hospital {
  return defined({ name: members.string('name'), ahaID: members.string('aha_id') });
}

/** @returns the error for the profile of another user, whose `verified` must not apply to this one. */
export function profileSubjectMismatch(): ProtocolError {
  return new ProtocolError(
    'profile_subject_mismatch',
    'The profile was rejected: it is not that of the signed-in user.',
  );
}

export function profileMalformed(reason: string): ProtocolError {
  return new ProtocolError('response_malformed', `The service's profile was rejected: ${reason}.`);
}
