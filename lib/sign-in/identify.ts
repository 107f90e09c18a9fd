import { flows } from '../authorization-server/flows.js';
import type { TokenSet } from '../authorization-server/token-set.js';
import { DeniedError, isClinicianError } from '../errors.js';
import type { Events } from '../events.js';
import type { ResolvedOptions } from '../options/resolve-options.js';
import { type CachedResponse, cacheSlot } from '../resource-api/conditional-cache.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { createResourceAPI, type RequestLimits } from '../resource-api/resource-api.js';
import type { ClinicianIdentity } from '../session/logins.js';

/** Holds a profile, and the response that contained it for the next conditional request. */
interface ProfileResponse {
  profile: ClinicianProfile;
  response: CachedResponse | undefined;
}

/** Describes the user who signed in. The profile is absent where the tokens may not read one, or it could not be read. @internal */
export interface SignedInUser extends Partial<ProfileResponse> {
  identity: ClinicianIdentity;
  /** With what the profile shows: the granted scope, and the id of the profile. */
  tokens: TokenSet;
}

/** Identifies users by the tokens of their sign-in. @internal */
export interface Identification {
  /**
   * Identifies the user who signed in: from the profile where the tokens may read it, and from the ID Token. A profile that
   * cannot be read is an error only if it is required.
   */
  identify(tokens: TokenSet): Promise<SignedInUser>;
  /** Reads the profile with an access token. */
  readProfile(accessToken: string): Promise<ClinicianProfile>;
}

export interface IdentificationOptions
  extends Pick<ResolvedOptions, 'issuer' | 'flow' | 'apiURL' | 'profileRequired' | 'clock' | 'fetch'> {
  events: Events;
  limits: RequestLimits;
}

export function createIdentification(options: IdentificationOptions): Identification {
  const { issuer, flow, apiURL, profileRequired, clock, fetch, events, limits } = options;
  const { identityFrom, separateScope } = flows[flow];

  /** @param userID the subject, where an ID Token has it: the limit of that user applies */
  async function readProfile(accessToken: string, userID?: string): Promise<ProfileResponse> {
    const tokens = { accessToken: async () => accessToken };
    const cache = cacheSlot();
    const unassigned = limits.budgets.unassigned();
    const budget = userID === undefined ? unassigned.budget : limits.budgets.of(userID);
    const { breaker } = limits;
    const user = async () => ({ userID: userID ?? '', budget });
    const api = createResourceAPI({ apiURL: apiURL as string, fetch, clock, tokens, cache, breaker, user });
    const profile = await api.profile();
    if (userID === undefined) unassigned.assign(profile.id);
    return { profile, response: cache.read() };
  }

  /** @returns undefined where the profile cannot be read and is not required */
  async function tryToReadProfile({ accessToken, scope, subject }: TokenSet): Promise<ProfileResponse | undefined> {
    if (apiURL === undefined || !scope.includes('basic')) return undefined;
    try {
      return await readProfile(accessToken.reveal(), subject);
    } catch (error) {
      if (profileRequired || !isClinicianError(error)) throw error;
      events.emit('request_failed', { userID: subject, error });
      events.warn(error);
      return undefined;
    }
  }

  /** The profile shows scopes that are approved separately (service spec, "Profile"), where the token response has no scope. */
  function withProfile(tokens: TokenSet, { id, email }: ClinicianProfile): TokenSet {
    const isShown = separateScope.includes('email') && tokens.params.scope === undefined;
    return {
      ...tokens,
      profileID: id,
      scope: isShown && email ? [...new Set([...tokens.scope, 'email'])] : tokens.scope,
    };
  }

  return {
    async identify(tokens) {
      const read = await tryToReadProfile(tokens);
      const profile = read?.profile;
      const id = identityFrom === 'id_token' ? tokens.subject : profile?.id;
      if (!id) {
        throw new DeniedError(
          'identity_missing',
          "The service did not identify the user: the profile needs scope 'basic', which was not granted. Sign in again and approve it.",
        );
      }
      if (profileRequired && !profile) {
        throw new DeniedError(
          'scope_missing',
          "This site needs your profile, and so scope 'basic', which was not granted. Sign in again and approve it.",
        );
      }
      const identity = { id, issuer, ...(profile && { serviceID: profile.id }) };
      return { identity, tokens: profile ? withProfile(tokens, profile) : tokens, ...read };
    },

    readProfile: async (accessToken) => (await readProfile(accessToken)).profile,
  };
}
