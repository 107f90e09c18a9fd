import type { Clock } from '../clock.js';

/** An answer that may be asked for again with `If-None-Match` (RFC 9110 section 13.1.2). */
export interface CachedResponse {
  readonly etag: string;
  readonly body: string;
}

/** The place of one grant's answer. */
export interface CacheSlot {
  read(): CachedResponse | undefined;
  write(answer: CachedResponse): void;
  clear(): void;
}

/** Profiles between requests, in memory only, so that unchanged ones are not sent again and do not count against the rate limit. */
export interface ConditionalCache {
  slot(grantID: string): CacheSlot;
}

export interface ConditionalCacheOptions {
  clock: Clock;
  /** How many answers are kept; the one unused for longest goes first. @default 1000 */
  maxEntries?: number;
  /** How long an answer that nobody asks for is kept, in milliseconds. @default one hour */
  life?: number;
}

const LONGEST_BODY = 100_000;

export function createConditionalCache(options: ConditionalCacheOptions): ConditionalCache {
  const { clock, maxEntries = 1_000, life = 60 * 60 * 1000 } = options;
  /** In the order of their last use. */
  const entries = new Map<string, { answer: CachedResponse; until: number }>();

  function keep(grantID: string, answer: CachedResponse): void {
    entries.delete(grantID);
    entries.set(grantID, { answer, until: clock.now() + life });
    for (const [oldest, entry] of entries) {
      if (entries.size <= maxEntries && entry.until > clock.now()) return;
      entries.delete(oldest);
    }
  }

  return {
    slot: (grantID) => ({
      read() {
        const entry = entries.get(grantID);
        if (entry === undefined) return undefined;
        entries.delete(grantID);
        if (entry.until <= clock.now()) return undefined;
        keep(grantID, entry.answer);
        return entry.answer;
      },
      write(answer) {
        if (answer.body.length <= LONGEST_BODY) keep(grantID, answer);
        else entries.delete(grantID);
      },
      clear() {
        entries.delete(grantID);
      },
    }),
  };
}

/** @returns a place for one answer that belongs to no grant yet. */
export function cacheSlot(): CacheSlot {
  let kept: CachedResponse | undefined;
  return {
    read: () => kept,
    write(answer) {
      kept = answer;
    },
    clear() {
      kept = undefined;
    },
  };
}
