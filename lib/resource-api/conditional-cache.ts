import { BoundedMap } from '../async/bounded-map.js';
import type { Clock } from '../async/clock.js';

/** A response that can be requested again with `If-None-Match` (RFC 9110 section 13.1.2). */
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

interface ConditionalCacheOptions {
  clock: Clock;
  /** The number of responses. The least recently used one is dropped first. @default 1000 */
  maxEntries?: number;
  /** How long an unused response is cached. @default one hour */
  ttlMs?: number;
}

const MAX_BODY_LENGTH = 100_000;

/** Caches profiles in memory between requests, so that the service does not send unchanged ones again. */
export class ConditionalCache {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #entries: BoundedMap<string, { response: CachedResponse; expiresAt: number }>;

  constructor({ clock, maxEntries = 1_000, ttlMs = 60 * 60 * 1000 }: ConditionalCacheOptions) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
    this.#entries = new BoundedMap(maxEntries);
  }

  /** @returns the part of the cache that belongs to one grant. */
  slot(grantID: string): CacheSlot {
    return {
      read: () => this.#read(grantID),
      write: (response) => this.#write(grantID, response),
      clear: () => void this.#entries.delete(grantID),
    };
  }

  #read(grantID: string): CachedResponse | undefined {
    const entry = this.#entries.get(grantID);
    if (entry === undefined) return undefined;
    if (entry.expiresAt > this.#clock.now()) this.#store(grantID, entry.response);
    else this.#entries.delete(grantID);
    return this.#entries.get(grantID)?.response;
  }

  #write(grantID: string, response: CachedResponse): void {
    if (response.body.length <= MAX_BODY_LENGTH) this.#store(grantID, response);
    else this.#entries.delete(grantID);
  }

  #store(grantID: string, response: CachedResponse): void {
    const now = this.#clock.now();
    this.#entries.set(grantID, { response, expiresAt: now + this.#ttlMs });
    // The first entry was used longest ago, so that all expired ones are at the front.
    for (const [oldest, { expiresAt }] of this.#entries) {
      if (expiresAt > now) return;
      this.#entries.delete(oldest);
    }
  }
}
