import { nextTurn } from './timers.js';

/** The number of calls in one turn. */
const MAX_CONCURRENT = 10;

/**
 * Runs a call for each item, ten in each turn of the event loop, so that a user with many logins does not block other requests.
 * Rejects after the ten that contain a failure have settled.
 */
export async function inTurns<T, R>(items: readonly T[], call: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += MAX_CONCURRENT) {
    const settled = await Promise.allSettled(items.slice(start, start + MAX_CONCURRENT).map(call));
    for (const result of settled) {
      if (result.status === 'rejected') throw result.reason;
      results.push(result.value);
    }
    await nextTurn();
  }
  return results;
}
