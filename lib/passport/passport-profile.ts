import type { ClinicianProfile } from '../resource-api/profile.js';
import type { ClinicianIdentity } from '../session/logins.js';

/** Passport's normalised profile, with the service's own members in camelCase. */
export interface PassportProfile extends Partial<Omit<ClinicianProfile, 'id' | 'raw'>> {
  provider: 'clinician';
  /** The identity: see {@link ClinicianIdentity.id}. */
  id: string;
  /** The profile's integer id as a string, if a profile was read. */
  serviceID?: string;
  displayName?: string;
  name?: { familyName?: string; givenName?: string; middleName?: string };
  emails?: { value: string }[];
  photos?: { value: string }[];
  _raw?: string;
  _json?: Record<string, unknown>;
}

/** @returns the normalised profile of Passport's contact schema; only the identity if no profile may be read. */
export function passportProfile(identity: ClinicianIdentity, profile: ClinicianProfile | undefined): PassportProfile {
  if (!profile) return { provider: 'clinician', id: identity.id };
  const { raw, id: serviceID, ...members } = profile;
  return {
    ...members,
    provider: 'clinician',
    id: identity.id,
    serviceID,
    ...(profile.fullName && { displayName: profile.fullName }),
    name: {
      ...(profile.lastName && { familyName: profile.lastName }),
      ...(profile.firstName && { givenName: profile.firstName }),
      ...(profile.middleName && { middleName: profile.middleName }),
    },
    ...(profile.email && { emails: [{ value: profile.email }] }),
    ...(profile.profilePhoto && { photos: [{ value: profile.profilePhoto }] }),
    _raw: JSON.stringify(raw),
    _json: raw,
  };
}
