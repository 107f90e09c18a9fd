import { PATHS } from '../http/paths.js';
import { FOREIGN_SUBJECT } from './claim-faults.js';
import type { FaultDefinition, KindDefaults } from './fault.js';
import type { ProfileFaultName } from './fault-names.js';

type Members = Record<string, unknown>;
export type ProfileFault = FaultDefinition<(members: Members) => Members>;

export const USERINFO_DEFAULTS: KindDefaults = { endpoint: PATHS.userinfo, endpoints: [PATHS.userinfo] };
export const PROFILE_DEFAULTS: KindDefaults = { endpoint: PATHS.currentUser, endpoints: [PATHS.currentUser] };

type UserinfoFaultName = Extract<ProfileFaultName, `userinfo${string}`>;
type ProfileOnlyFaultName = Extract<ProfileFaultName, `profile${string}`>;

/** What userinfo says wrongly. */
export const USERINFO_FAULTS: Readonly<Record<UserinfoFaultName, ProfileFault>> = {
  userinfoWrongSubject: {
    description: 'Userinfo speaks of somebody else than the ID Token.',
    source: 'OpenID Connect Core section 5.3.2',
    aliases: ['oidcc-client-test-userinfo-invalid-sub', 'userinfo-invalid-sub', 'rp-userinfo-bad-sub-claim'],
    apply: (members) => ({ ...members, sub: FOREIGN_SUBJECT }),
  },
  userinfoMissingSubject: {
    description: 'Userinfo does not say of whom it speaks.',
    source: 'OpenID Connect Core section 5.3.2',
    apply: ({ sub: _, ...rest }) => rest,
  },
};

/** What the profile says wrongly. */
export const PROFILE_FAULTS: Readonly<Record<ProfileOnlyFaultName, ProfileFault>> = {
  profileWrongID: {
    description: 'The profile is one of somebody else.',
    source: 'Service spec: profile',
    apply: (members) => ({ ...members, id: (members.id as number) + 1 }),
  },
  profileMissingID: {
    description: 'The profile has no id.',
    source: 'Service spec: profile',
    apply: ({ id: _, ...rest }) => rest,
  },
  profileMalformed: {
    description: 'The members of the profile have other types than the specification says.',
    source: 'Service spec: profile',
    apply: (members) => ({
      ...members,
      id: 'not a number',
      npi: {},
      verified: 'true',
      hospitals: 'none',
      lat: 'north',
    }),
  },
};
