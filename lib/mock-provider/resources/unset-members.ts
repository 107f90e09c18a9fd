import type { ClinicianLocation, ClinicianProfileFields } from '../options/clinician-options.js';
import type { Account } from '../state/account.js';

const UNSET_LOCATION: ClinicianLocation = { address1: '', address2: null, city: '', phone: '', fax: null, zip: '' };

const UNSET_SPECIALTY_DETAILS = { abbr: '', code: '', name: '', id: '' };

/**
 * @returns the profile of an account. A member without a value is null or empty if its type allows it, and else absent: a number,
 * gender, state and the photo. So no clinician has a value that was not set.
 */
export function withUnsetMembers({ fields }: Account): ClinicianProfileFields {
  const { firstName = '', lastName = '', additionalLocations = [], specialtyDetails } = fields;
  return {
    firstName,
    middleName: '',
    lastName,
    fullName: `${firstName} ${lastName}`.trim(),
    ...UNSET_LOCATION,
    address1: null,
    phone: null,
    credentials: '',
    specialty: '',
    hospitals: [],
    subspecialties: [],
    medicalSchool: '',
    residencies: [],
    colleagueCount: 0,
    ...fields,
    additionalLocations: additionalLocations.map((location) => ({ ...UNSET_LOCATION, ...location })),
    specialtyDetails: { ...UNSET_SPECIALTY_DETAILS, ...specialtyDetails },
  };
}
