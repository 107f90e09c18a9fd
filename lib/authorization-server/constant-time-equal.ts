import { timingSafeEqual } from 'node:crypto';

/** Compares two strings in a time that does not depend on where they differ. Their length is not protected. */
export function constantTimeEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
