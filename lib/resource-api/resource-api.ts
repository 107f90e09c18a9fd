import { type AuthorizedFetchOptions, type CallOptions, createAuthorizedFetch } from './authorized-fetch.js';
import { type Colleagues, type ColleaguesOptions, createColleagues } from './colleagues.js';
import type { CacheSlot } from './conditional-cache.js';
import { readJSONResponse } from './json-response.js';
import { type ClinicianProfile, parseProfile, profileMalformed, profileSubjectMismatch } from './profile.js';
import { createRateBudgets, type RateBudget } from './rate-budget.js';
import { parseRateLimit, type RateLimit, rateLimitMalformed } from './rate-limit.js';

export interface ResourceAPIOptions extends Omit<AuthorizedFetchOptions, 'budget'> {
  /** Where this grant's profile is remembered between calls. Without it every call fetches the whole. */
  cache?: CacheSlot | undefined;
  /** The id that the profile must have. @default any */
  profileID?: string | undefined;
  /** What this grant may still ask, kept between calls. @default what this object's own calls have learnt */
  budget?: RateBudget | undefined;
}

/** The resource API for one signed-in person. */
export interface ResourceAPI {
  /** The profile of the signed-in person. Needs scope `basic`. */
  profile(options?: CallOptions): Promise<ClinicianProfile>;
  /**
   * The colleagues of the signed-in person; nothing is fetched before it is asked for. Needs scope `colleagues`.
   *
   * ```js
   * for await (const colleague of api.colleagues()) show(colleague);
   * const { items, totalPages } = await api.colleagues().page(2, { perPage: 50 });
   * ```
   */
  colleagues(options?: ColleaguesOptions): Colleagues;
  /** How much may still be asked. Free of charge: it does not count, and is answered when nothing is left. */
  rateLimit(options?: Pick<CallOptions, 'signal'>): Promise<RateLimit>;
}

export function createResourceAPI(options: ResourceAPIOptions): ResourceAPI {
  const { cache, clock, profileID } = options;
  const budget = options.budget ?? createRateBudgets({ clock }).slot('');
  const authorizedFetch = createAuthorizedFetch({ ...options, budget });

  return {
    async profile({ signal, maxWait } = {}) {
      const known = cache?.read();
      const headers = known === undefined ? {} : { 'if-none-match': known.etag };
      const response = await authorizedFetch('/api/v1/users/current', {
        scope: 'basic',
        headers,
        signal,
        maxWait,
      });
      if (response.status === 304) {
        if (known === undefined) throw profileMalformed('it is empty');
        return parseProfile(JSON.parse(known.body));
      }
      const { json, text } = await readJSONResponse(response, profileMalformed);
      const profile = parseProfile(json);
      if (profileID !== undefined && profile.id !== profileID) throw profileSubjectMismatch();
      const etag = response.headers.get('etag');
      if (etag === null) cache?.clear();
      else cache?.write({ etag, body: text });
      return profile;
    },
    colleagues: (call) => createColleagues(authorizedFetch, call),
    async rateLimit({ signal } = {}) {
      const headers = { 'cache-control': 'no-store' };
      const response = await authorizedFetch('/api/v1/rate_limit', { headers, signal, free: true });
      const status = parseRateLimit((await readJSONResponse(response, rateLimitMalformed)).json, clock);
      budget.note(status);
      return status;
    },
  };
}
