import type { Clock } from '../clock.js';

/** A document of the service that is fetched when first asked for, and kept while it is fresh. */
export interface CachedDocument<T> {
  /** The document: the kept one while it is fresh. */
  get(): Promise<T>;
  /** The document, fetched anew. Whoever asks while a fetch is under way shares it. A failure is never kept. */
  refetch(): Promise<T>;
}

export function cachedDocument<T>(clock: Clock, lifetime: number, load: () => Promise<T>): CachedDocument<T> {
  let kept: { value: T; until: number } | undefined;
  let underWay: Promise<T> | undefined;

  function keep(value: T): T {
    kept = { value, until: clock.now() + lifetime };
    return value;
  }
  function refetch(): Promise<T> {
    underWay ??= load()
      .then(keep)
      .finally(() => {
        underWay = undefined;
      });
    return underWay;
  }
  return {
    get: async () => (kept !== undefined && clock.now() < kept.until ? kept.value : refetch()),
    refetch,
  };
}
