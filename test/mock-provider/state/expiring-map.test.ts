import { beforeEach, describe, expect, test } from '@jest/globals';
import { createClock } from '../../../lib/mock-provider/state/clock.js';
import { ExpiringMap } from '../../../lib/mock-provider/state/expiring-map.js';

const clock = createClock();
beforeEach(() => {
  clock.reset();
  clock.freeze();
});

function mapWithEntry() {
  const map = new ExpiringMap<string>(clock, 1000);
  map.set('key', 'value');
  return map;
}

const contents = (map: ExpiringMap<string>) => [map.get('key'), [...map.values()]];

describe('an entry', () => {
  test('is valid up to its last millisecond, and not at its end', () => {
    const map = mapWithEntry();
    clock.advance(999);
    expect(contents(map)).toEqual(['value', ['value']]);
    clock.advance(1);
    expect(contents(map)).toEqual([undefined, []]);
  });

  test('is removed by a sweep at its end, and not a millisecond before', () => {
    const map = mapWithEntry();
    clock.advance(999);
    map.sweep();
    map.set('other', 'value');
    expect(map.size).toBe(2);
    clock.advance(1);
    map.sweep();
    expect(map.size).toBe(1);
  });

  test('is removed by a later write at its end, and not a millisecond before', () => {
    const map = mapWithEntry();
    clock.advance(999);
    map.set('second', 'value');
    expect(map.size).toBe(2);
    clock.advance(1);
    map.set('third', 'value');
    expect(map.size).toBe(2);
  });

  test('that is set again is valid for another lifetime', () => {
    const map = mapWithEntry();
    clock.advance(999);
    map.set('key', 'again');
    clock.advance(999);
    expect(contents(map)).toEqual(['again', ['again']]);
    clock.advance(1);
    expect(contents(map)).toEqual([undefined, []]);
  });
});
