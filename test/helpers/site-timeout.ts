import { jest } from '@jest/globals';

/**
 * Ends at once the 30 seconds that a store, or other code of the site, may take, until `jest.restoreAllMocks()`.
 * @returns the parts of this time that were waited for: it has four
 */
export function shortenSiteTimeout(): number[] {
  const timer = globalThis.setTimeout;
  const waits: number[] = [];
  jest.spyOn(globalThis, 'setTimeout').mockImplementation(((call: () => void, ms: number, ...args: []) => {
    const isLimit = ms === 7_500;
    if (isLimit) waits.push(ms);
    return timer(call, isLimit ? 0 : ms, ...args);
  }) as typeof setTimeout);
  return waits;
}
