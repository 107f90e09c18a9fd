import { expect, test } from '@jest/globals';
import { randomBytes, randomText } from '../../lib/sealing/sealer.js';

test('random bytes have the requested size, and are used once', () => {
  const sizes = [12, 16, 24, 32, 4096];
  for (const size of sizes) expect(randomBytes(size)).toHaveLength(size);
  const texts = Array.from({ length: 10_000 }, () => randomText(32));
  expect(new Set(texts).size).toBe(texts.length);
  expect(texts.every((text) => /^[\w-]{43}$/.test(text))).toBe(true);
});
