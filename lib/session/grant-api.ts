import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import { ConfigurationError } from '../errors.js';
import type { Fetch } from '../http.js';
import type { APIUser } from '../resource-api/authorized-fetch.js';
import { type CachedResponse, type CacheSlot, createConditionalCache } from '../resource-api/conditional-cache.js';
import { createResourceAPI, type RequestLimits, type ResourceAPI } from '../resource-api/resource-api.js';
import { createSingleFlight } from '../single-flight.js';
import type { TokenVault } from '../token-vault/token-vault.js';

/** Calls the resource API with the tokens of each grant. What is known about a grant is in memory only. @internal */
export interface GrantAPIs {
  api(grantID: string): ResourceAPI;
  /** Caches a profile that was read at the sign-in, so that the next request for it sends If-None-Match. */
  cacheProfile(grantID: string, response: CachedResponse): void;
  /** Removes what is known about a grant that has ended. */
  remove(grantID: string): void;
}

interface GrantAPIOptions {
  apiURL: string | undefined;
  fetch: Fetch;
  clock: Clock;
  limits: RequestLimits;
  /** @param refused the access token that the resource API has refused */
  accessToken: (grantID: string, refused?: string) => Promise<string>;
  vault: Pick<TokenVault, 'find'>;
}

const MAX_USERS = 10_000;

export function createGrantAPIs(options: GrantAPIOptions): GrantAPIs {
  const { apiURL, fetch, clock, limits, accessToken, vault } = options;
  const profiles = createConditionalCache({ clock });
  const users = new BoundedMap<string, APIUser>(MAX_USERS);
  const reads = createSingleFlight<string>();

  /** Reads the user of a grant once: the sign-in has stored it with the tokens. */
  async function userOf(grantID: string): Promise<APIUser> {
    const known = users.get(grantID);
    if (known !== undefined) return known;
    const stored = (await vault.find(grantID))?.tokens;
    const { subject, profileID } = stored ?? {};
    const userID = subject ?? profileID ?? grantID;
    const user = { userID, budget: limits.budgets.of(userID), profileID };
    if (stored !== undefined) users.set(grantID, user);
    return user;
  }

  /** A response that arrives after the end of its grant is not cached: the user may have been forgotten. */
  function cacheOf(grantID: string): CacheSlot {
    const slot = profiles.slot(grantID);
    return { ...slot, write: (response) => users.has(grantID) && slot.write(response) };
  }

  return {
    api(grantID) {
      if (!apiURL) {
        throw new ConfigurationError(
          'option_missing',
          "passport-clinician: option 'apiURL' is missing. Pass the URL of the resource API.",
          { option: 'apiURL' },
        );
      }
      return createResourceAPI({
        ...{ apiURL, fetch, clock, breaker: limits.breaker },
        tokens: { accessToken: (refused) => accessToken(grantID, refused) },
        user: () => userOf(grantID),
        cache: cacheOf(grantID),
        shareRead: (read) => reads.run(grantID, read),
      });
    },
    cacheProfile: (grantID, response) => profiles.slot(grantID).write(response),
    remove(grantID) {
      profiles.slot(grantID).clear();
      users.delete(grantID);
    },
  };
}
