import { timingSafeEqual } from 'node:crypto';

/** @returns true when two texts are equal, in a time that does not tell where they differ. */
export function constantTimeEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
