import { BoundedMap } from '../async/bounded-map.js';
import type { Clock } from '../async/clock.js';
import { createSingleFlight } from '../async/single-flight.js';
import { ConfigurationError } from '../errors/errors.js';
import type { Fetch } from '../http/http.js';
import type { APIUser } from '../resource-api/authorized-fetch.js';
import { type CachedResponse, type CacheSlot, ConditionalCache } from '../resource-api/conditional-cache.js';
import type { RequestLimits } from '../resource-api/request-limits.js';
import { createResourceAPI, type ResourceAPI } from '../resource-api/resource-api.js';
import type { TokenVault } from '../token-vault/token-vault.js';

interface GrantAPIOptions {
  apiURL: string | undefined;
  fetch: Fetch;
  clock: Clock;
  limits: RequestLimits;
  vault: Pick<TokenVault, 'find'>;
  /** @param refused the access token that the resource API has refused */
  accessToken: (grantID: string, refused?: string) => Promise<string>;
}

const MAX_USERS = 10_000;

/** Calls the resource API with the tokens of each grant. What is known about a grant is in memory only. @internal */
export class GrantAPIs {
  readonly #options: GrantAPIOptions;
  readonly #profiles;
  readonly #users = new BoundedMap<string, APIUser>(MAX_USERS);
  readonly #reads = createSingleFlight<string>();

  constructor(options: GrantAPIOptions) {
    this.#options = options;
    this.#profiles = new ConditionalCache(options);
  }

  of(grantID: string): ResourceAPI {
    const { apiURL, fetch, clock, limits, accessToken } = this.#options;
    if (!apiURL) {
      throw new ConfigurationError(
        'option_invalid',
        "passport-clinician: option 'apiURL' is missing. Pass the URL of the resource API.",
        { option: 'apiURL' },
      );
    }
    return createResourceAPI({
      ...{ apiURL, fetch, clock, limits },
      tokens: { accessToken: (refused) => accessToken(grantID, refused) },
      user: () => this.#userOf(grantID),
      cache: this.#cacheOf(grantID),
      shareRead: (read) => this.#reads.run(grantID, read),
    });
  }

  /** Caches a profile that was read at the sign-in, so that the next request for it sends If-None-Match. */
  cacheProfile(grantID: string, response: CachedResponse): void {
    this.#profiles.slot(grantID).write(response);
  }

  /** Removes what is known about a grant that has ended. */
  remove(grantID: string): void {
    this.#profiles.slot(grantID).write(undefined);
    this.#users.delete(grantID);
  }

  /** Reads the user of a grant once: the sign-in has stored it with the tokens. */
  async #userOf(grantID: string): Promise<APIUser> {
    const known = this.#users.get(grantID);
    if (known !== undefined) return known;
    const stored = (await this.#options.vault.find(grantID))?.tokens;
    const { subject, profileID } = stored ?? {};
    const user = { userID: subject ?? profileID ?? grantID, profileID };
    if (stored !== undefined) this.#users.set(grantID, user);
    return user;
  }

  /** A response that arrives after the end of its grant is not cached: the user may have been forgotten. */
  #cacheOf(grantID: string): CacheSlot {
    const slot = this.#profiles.slot(grantID);
    return { ...slot, write: (response) => this.#users.has(grantID) && slot.write(response) };
  }
}
