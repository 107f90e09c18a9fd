import { type Representation, representation } from '../http/response.js';
import type { ClinicianLocation, ClinicianProfileFields } from '../options/clinician-options.js';
import type { Account } from '../state/account.js';
import type { Resource } from './resources.js';
import { type Spelling, wireMembers } from './wire-names.js';

/** Creates GET /api/v1/users/current (service spec: profile). */
export function createCurrentUser(spelling: Spelling): Resource {
  /** Serialised once for each version of an account: it is the most requested resource. */
  const cache = new WeakMap<Account, { version: string; profile: Representation }>();

  return {
    scope: 'basic',
    read(_http, { account, accessScope }) {
      const withEmail = accessScope.includes('email');
      const version = `${account.version} ${account.isVerified} ${withEmail}`;
      const cached = cache.get(account);
      if (cached?.version === version) return cached.profile;
      const profile = representation(JSON.stringify(profileMembers(account, withEmail, spelling)));
      cache.set(account, { version, profile });
      return profile;
    },
  };
}

function profileMembers(account: Account, withEmail: boolean, spelling: Spelling): Record<string, unknown> {
  return {
    id: account.id,
    ...wireMembers(withUnsetMembers(account), spelling),
    ...(withEmail && { email: account.email }),
    verified: account.isVerified,
  };
}

const UNSET_LOCATION: ClinicianLocation = { address1: '', address2: null, city: '', phone: '', fax: null, zip: '' };

const UNSET_SPECIALTY_DETAILS = { abbr: '', code: '', name: '', id: '' };

/**
 * @returns the profile of an account. A member without a value is null or empty if its type allows it, and else absent: a number,
 * gender, state and the photo. So no clinician has a value that was not set.
 */
function withUnsetMembers({ fields }: Account): ClinicianProfileFields {
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
