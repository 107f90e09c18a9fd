import type { Clock } from '../clock.js';
import { ProtocolError } from '../errors.js';
import type { Fetch } from '../http.js';
import { type AccessTokens, createAuthorizedFetch } from './authorized-fetch.js';
import type { CacheSlot } from './conditional-cache.js';
import { type ClinicianProfile, parseProfile } from './profile.js';
import { parseStrictJSON } from './strict-json.js';

export interface ResourceAPIOptions {
  /** The service spec's {base_url}. */
  apiURL: string;
  fetch: Fetch;
  tokens: AccessTokens;
  clock: Clock;
  /** Where this grant's profile is remembered between calls. Without it every call fetches the whole. */
  cache?: CacheSlot | undefined;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
}

/** The resource API for one signed-in person. */
export interface ResourceAPI {
  /** The profile of the signed-in person. Needs scope `basic`. */
  profile(options?: CallOptions): Promise<ClinicianProfile>;
}

export function createResourceAPI(options: ResourceAPIOptions): ResourceAPI {
  const authorizedFetch = createAuthorizedFetch(options);
  const { cache } = options;

  return {
    async profile({ signal } = {}) {
      const known = cache?.read();
      const headers = known === undefined ? {} : { 'if-none-match': known.etag };
      const response = await authorizedFetch('/api/v1/users/current', { scope: 'basic', headers, signal });
      if (response.status === 304) {
        if (known === undefined) throw malformed('it is empty');
        return parseProfile(JSON.parse(known.body));
      }
      const body = await response.text();
      const profile = parseProfile(parseJSON(response, body));
      const etag = response.headers.get('etag');
      if (etag === null) cache?.clear();
      else cache?.write({ etag, body });
      return profile;
    },
  };
}

function parseJSON(response: Response, body: string): unknown {
  const type = response.headers.get('content-type') ?? '';
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type)) throw malformed('it is not JSON');
  try {
    return parseStrictJSON(body);
  } catch (error) {
    throw malformed(`it has ${(error as Error).message}`);
  }
}

function malformed(why: string): ProtocolError {
  return new ProtocolError('profile_malformed', `The service's profile is refused: ${why}.`);
}
