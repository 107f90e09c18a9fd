import type { ClinicianLocation, ClinicianProfileFields } from '../options/clinician-options.js';
import { npiFrom } from '../options/npi.js';
import type { Account } from '../state/account.js';
import type { Colleague } from './generated-colleagues.js';

/** The members that the service spec marks as optional: they are sent only when a clinician has them. */
type Optional = 'maidenName' | 'description';
type Complete = Required<Omit<ClinicianProfileFields, Optional>> & Pick<ClinicianProfileFields, Optional>;

const NO_PHOTO = 'https://photos.clinic.example/no-photo.png';

const UNSET_LOCATION: Required<ClinicianLocation> = {
  address1: '',
  address2: null,
  city: '',
  state: 'CA',
  phone: '',
  fax: null,
  zip: '',
};

const UNSET_SPECIALTY_DETAILS = { abbr: '', code: '', credentialID: 0, name: '', id: '' };

/**
 * @returns the profile of an account with all members that the service spec does not mark as optional. A member without a value
 * is null or empty where its type allows it; the others get a value of their type.
 */
export function withUnsetMembers({ id, username, fields }: Account): Complete {
  const { firstName = '', lastName = '', additionalLocations = [], specialtyDetails } = fields;
  return {
    npi: npiFrom(100_000_000 + (id % 100_000_000)),
    firstName,
    middleName: '',
    lastName,
    fullName: `${firstName} ${lastName}`.trim() || username,
    gender: 'F',
    lat: 36.7783,
    lon: -119.4179,
    ...UNSET_LOCATION,
    address1: null,
    phone: null,
    credentials: '',
    specialty: '',
    hospitals: [],
    subspecialties: [],
    medicalSchool: '',
    residencies: [],
    profilePhoto: NO_PHOTO,
    colleagueCount: 0,
    ...fields,
    additionalLocations: additionalLocations.map((location) => ({ ...UNSET_LOCATION, ...location })),
    specialtyDetails: { ...UNSET_SPECIALTY_DETAILS, ...specialtyDetails },
  };
}

/** @returns a colleague with all members. */
export function colleagueWithUnsetMembers(colleague: Partial<Colleague>): Partial<Colleague> {
  return { middleName: '', profilePhoto: NO_PHOTO, ...colleague };
}
