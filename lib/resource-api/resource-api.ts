import { readJSONDocument } from '../http/json.js';
import { checkOptions } from '../options/option-table.js';
import { type AuthorizedFetch, type CallOptions, callOptionRules } from './authorized-fetch.js';
import { type Colleagues, type ColleaguesOptions, createColleagues } from './colleagues.js';
import { type CacheSlot, type ClinicianProfile, fetchProfile, parseProfile } from './profile.js';
import { parseRateLimit, RATE_LIMIT_STATUS, type RateLimit } from './request-limits.js';

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

/** @param shareRead lets concurrent reads of the profile share one request */
export function createResourceAPI(
  service: AuthorizedFetch,
  cache: CacheSlot,
  shareRead: (read: () => Promise<string>) => Promise<string>,
): ResourceAPI {
  async function readProfile(call: CallOptions): Promise<string> {
    const { body, etag } = await fetchProfile(service, call, cache.read());
    cache.write(etag === undefined ? undefined : { etag, body });
    return body;
  }

  return {
    async profile(callOptions) {
      const call = callOptions === undefined ? {} : checkOptions(callOptions, callOptionRules, 'profile()');
      const read = () => readProfile(call);
      const isShared = Object.keys(call).length === 0;
      // Each caller gets its own object.
      return parseProfile(isShared ? await shareRead(read) : await read(), service.apiURL);
    },
    colleagues: (colleaguesOptions) => createColleagues(service, colleaguesOptions),
    async rateLimit(callOptions) {
      const { signal } = checkOptions(callOptions, { signal: callOptionRules.signal }, 'rateLimit()');
      const headers = { 'cache-control': 'no-store' };
      const response = await service.get('/api/v1/rate_limit', { headers, signal, isUncounted: true });
      return parseRateLimit((await readJSONDocument(response, RATE_LIMIT_STATUS)).json, service.clock);
    },
  };
}
