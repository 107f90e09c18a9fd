/** Draws from a seed: the same seed draws the same values. */
export interface Random {
  /** @returns a number from 0 to below `limit` */
  number(limit: number): number;
  /** @returns true with a probability */
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
}

/** @returns the generator mulberry32 */
export function createRandom(seed: number): Random {
  let state = seed | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    number: (limit) => next() * limit,
    chance: (probability) => next() < probability,
    pick: (values) => values[Math.floor(next() * values.length)] as never,
  };
}
