import { PATHS } from '../http/paths.js';
import { FOREIGN_SUBJECT } from './claim-faults.js';
import type { Entry, KindDefaults } from './fault.js';
import type { PersonFaultName } from './fault-names.js';

type Members = Record<string, unknown>;
export type PersonFault = Entry<(members: Members) => Members>;

export const USERINFO_DEFAULTS: KindDefaults = { endpoint: PATHS.userinfo, endpoints: [PATHS.userinfo] };
export const PROFILE_DEFAULTS: KindDefaults = { endpoint: PATHS.currentUser, endpoints: [PATHS.currentUser] };

type UserinfoFaultName = Extract<PersonFaultName, `userinfo${string}`>;
type ProfileFaultName = Extract<PersonFaultName, `profile${string}`>;

/** What userinfo says wrongly. */
export const USERINFO_FAULTS: Readonly<Record<UserinfoFaultName, PersonFault>> = {
  userinfoWrongSubject: {
    description: 'Userinfo speaks of somebody else than the ID Token.',
    source: 'OpenID Connect Core section 5.3.2',
    aliases: ['oidcc-client-test-userinfo-invalid-sub', 'userinfo-invalid-sub', 'rp-userinfo-bad-sub-claim'],
    act: (members) => ({ ...members, sub: FOREIGN_SUBJECT }),
  },
  userinfoMissingSubject: {
    description: 'Userinfo does not say of whom it speaks.',
    source: 'OpenID Connect Core section 5.3.2',
    act: ({ sub: _, ...rest }) => rest,
  },
};

/** What the profile says wrongly. */
export const PROFILE_FAULTS: Readonly<Record<ProfileFaultName, PersonFault>> = {
  profileWrongID: {
    description: 'The profile is one of somebody else.',
    source: 'Service spec: profile',
    act: (members) => ({ ...members, id: (members.id as number) + 1 }),
  },
  profileMissingID: {
    description: 'The profile has no id.',
    source: 'Service spec: profile',
    act: ({ id: _, ...rest }) => rest,
  },
  profileMalformed: {
    description: 'The members of the profile have other types than the specification says.',
    source: 'Service spec: profile',
    act: (members) => ({ ...members, id: 'not a number', npi: {}, verified: 'true', hospitals: 'none', lat: 'north' }),
  },
};
