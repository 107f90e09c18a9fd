import type { Clock } from '../async/clock.js';
import { BoundedMap } from '../async/work.js';

/** A response that can be requested again with `If-None-Match` (RFC 9110 section 13.1.2). */
export interface CachedResponse {
  readonly etag: string;
  readonly body: string;
}

/** Reads and writes the cached response of one grant. */
export interface CacheSlot {
  read(): CachedResponse | undefined;
  /** @param response undefined removes the cached one */
  write(response: CachedResponse | undefined): void;
}

/** The number of responses. The one that was written longest ago is dropped first. */
const MAX_ENTRIES = 1_000;
const LIFETIME_MS = 60 * 60 * 1000;

/** Caches profiles in memory between requests, so that the service does not send unchanged ones again. */
export class ConditionalCache {
  readonly #clock: Clock;
  readonly #entries = new BoundedMap<string, CachedResponse & { readonly expiresAt: number }>(MAX_ENTRIES);

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /** @returns the part of the cache that belongs to one grant. */
  slot(grantID: string): CacheSlot {
    return {
      read: () => {
        this.#removeExpired();
        return this.#entries.get(grantID);
      },
      write: (response) => {
        this.#entries.delete(grantID);
        if (response) this.#entries.set(grantID, { ...response, expiresAt: this.#clock.now() + LIFETIME_MS });
      },
    };
  }

  /** The first entry was written longest ago. */
  #removeExpired(): void {
    for (const [grantID, { expiresAt }] of this.#entries) {
      if (expiresAt > this.#clock.now()) return;
      this.#entries.delete(grantID);
    }
  }
}
