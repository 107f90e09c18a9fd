import type { Clock } from '../clock.js';
import { createSingleFlight } from '../single-flight.js';

/** A document of the service, fetched when it is first needed and cached. */
export interface CachedDocument<T> {
  /** @returns the cached document, fetched again when its lifetime is over. */
  get(): Promise<T>;
  /** Fetches the document. Concurrent calls share one fetch. A failed fetch is not cached. */
  refetch(): Promise<T>;
}

export function cachedDocument<T>(clock: Clock, lifetimeMs: number, load: () => Promise<T>): CachedDocument<T> {
  const fetches = createSingleFlight<T>();
  let cached: { value: T; expiresAt: number } | undefined;

  async function fetchDocument(): Promise<T> {
    const value = await load();
    cached = { value, expiresAt: clock.now() + lifetimeMs };
    return value;
  }
  const refetch = () => fetches.run('', fetchDocument);
  return {
    get: async () => (cached !== undefined && clock.now() < cached.expiresAt ? cached.value : refetch()),
    refetch,
  };
}
