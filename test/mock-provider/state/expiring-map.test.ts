import { beforeEach, expect, test } from '@jest/globals';
import { createClock } from '../../../lib/mock-provider/state/clock.js';
import { type Expiring, ExpiringMap } from '../../../lib/mock-provider/state/expiring-map.js';

const clock = createClock();
beforeEach(() => {
  clock.reset();
  clock.freeze();
});

/** Writes as many entries as cause a sweep. */
function write(map: ExpiringMap<Expiring>, name: string) {
  for (let count = 0; count < 256; count += 1) map.set(`${name} ${count}`, {});
}

test('an entry is removed by later writes at its end, and not a millisecond before', () => {
  const map = new ExpiringMap(clock, 1000);
  map.set('key', {});
  clock.advance(999);
  write(map, 'other');
  expect(map.size).toBe(257);
  clock.advance(1);
  write(map, 'other');
  expect(map.size).toBe(256);
});

test('entries above the limit are removed, the oldest first', () => {
  const map = new ExpiringMap(clock, 1000, 100);
  write(map, 'first');
  write(map, 'second');
  expect([map.size, map.get('first 255'), map.get('second 155')]).toEqual([100, undefined, undefined]);
  expect(map.get('second 156')).toBeDefined();
});
