import { type AuthorizedFetchOptions, type CallOptions, createAuthorizedFetch } from './authorized-fetch.js';
import { type Colleagues, type ColleaguesOptions, createColleagues } from './colleagues.js';
import type { CacheSlot } from './conditional-cache.js';
import { readJSONResponse } from './members.js';
import { type ClinicianProfile, parseProfile, profileMalformed, profileSubjectMismatch } from './profile.js';
import { createRateBudgets, type RateBudget } from './rate-budget.js';
import { parseRateLimit, type RateLimit, rateLimitMalformed } from './rate-limit.js';

export interface ResourceAPIOptions extends Omit<AuthorizedFetchOptions, 'budget'> {
  /** The cached profile of the grant. Without it every call fetches the whole profile. */
  cache?: CacheSlot | undefined;
  /** The required id of the profile. @default any */
  profileID?: string | undefined;
  /** The requests that the grant has left. @default a new budget for this object */
  budget?: RateBudget | undefined;
}

/** Calls the resource API for one signed-in user. */
export interface ResourceAPI {
  /** @returns the profile of the signed-in user. Needs scope `basic`. */
  profile(options?: CallOptions): Promise<ClinicianProfile>;
  /**
   * @returns the colleagues of the signed-in user, fetched when they are read. Needs scope `colleagues`.
   *
   * ```js
   * for await (const colleague of api.colleagues()) show(colleague);
   * const { items, totalPages } = await api.colleagues().page(2, { perPage: 50 });
   * ```
   */
  colleagues(options?: ColleaguesOptions): Colleagues;
  /** @returns the rate limit. This request does not count against it, and is sent also when no request is left. */
  rateLimit(options?: Pick<CallOptions, 'signal'>): Promise<RateLimit>;
}

export function createResourceAPI(options: ResourceAPIOptions): ResourceAPI {
  const { cache, clock, profileID } = options;
  const budget = options.budget ?? createRateBudgets({ clock }).slot('');
  const authorizedFetch = createAuthorizedFetch({ ...options, budget });

  return {
    async profile({ signal, maxWait } = {}) {
      const cached = cache?.read();
      const headers = cached === undefined ? {} : { 'if-none-match': cached.etag };
      const response = await authorizedFetch('/api/v1/users/current', {
        scope: 'basic',
        headers,
        signal,
        maxWait,
      });
      if (response.status === 304) {
        if (cached === undefined) throw profileMalformed('it is empty');
        return parseProfile(JSON.parse(cached.body));
      }
      const { json, text } = await readJSONResponse(response, profileMalformed);
      const profile = parseProfile(json);
      if (profileID !== undefined && profile.id !== profileID) throw profileSubjectMismatch();
      const etag = response.headers.get('etag');
      if (etag === null) cache?.clear();
      else cache?.write({ etag, body: text });
      return profile;
    },
    colleagues: (options) => createColleagues(authorizedFetch, options),
    async rateLimit({ signal } = {}) {
      const headers = { 'cache-control': 'no-store' };
      const response = await authorizedFetch('/api/v1/rate_limit', { headers, signal, isUncounted: true });
      const status = parseRateLimit((await readJSONResponse(response, rateLimitMalformed)).json, clock);
      budget.update(status);
      return status;
    },
  };
}
