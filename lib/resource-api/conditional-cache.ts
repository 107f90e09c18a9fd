import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';

/** Holds a response that can be requested again with `If-None-Match` (RFC 9110 section 13.1.2). */
export interface CachedResponse {
  readonly etag: string;
  readonly body: string;
}

/** Reads and writes the cached response of one grant. */
export interface CacheSlot {
  read(): CachedResponse | undefined;
  write(response: CachedResponse): void;
  clear(): void;
}

/** Caches profiles in memory between requests, so that the service does not send unchanged ones again. */
interface ConditionalCache {
  slot(grantID: string): CacheSlot;
}

interface ConditionalCacheOptions {
  clock: Clock;
  /** The number of responses. The least recently used one is dropped first. @default 1000 */
  maxEntries?: number;
  /** How long an unused response is cached. @default one hour */
  ttlMs?: number;
}

const MAX_BODY_LENGTH = 100_000;

export function createConditionalCache(options: ConditionalCacheOptions): ConditionalCache {
  const { clock, maxEntries = 1_000, ttlMs = 60 * 60 * 1000 } = options;
  const entries = new BoundedMap<string, { response: CachedResponse; expiresAt: number }>(maxEntries);

  function store(grantID: string, response: CachedResponse): void {
    entries.set(grantID, { response, expiresAt: clock.now() + ttlMs });
    // The first entry was used longest ago, so that all expired ones are at the front.
    for (const [oldest, { expiresAt }] of entries) {
      if (expiresAt > clock.now()) return;
      entries.delete(oldest);
    }
  }

  return {
    slot: (grantID) => ({
      read() {
        const entry = entries.get(grantID);
        if (entry === undefined) return undefined;
        if (entry.expiresAt <= clock.now()) {
          entries.delete(grantID);
          return undefined;
        }
        store(grantID, entry.response);
        return entry.response;
      },
      write(response) {
        if (response.body.length <= MAX_BODY_LENGTH) store(grantID, response);
        else entries.delete(grantID);
      },
      clear() {
        entries.delete(grantID);
      },
    }),
  };
}

/** @returns a slot for one response that does not belong to a grant yet. */
export function cacheSlot(): CacheSlot {
  let cached: CachedResponse | undefined;
  return {
    read: () => cached,
    write(response) {
      cached = response;
    },
    clear() {
      cached = undefined;
    },
  };
}
