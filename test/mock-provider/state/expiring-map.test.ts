import { beforeEach, describe, expect, test } from '@jest/globals';
import { createClock } from '../../../lib/mock-provider/state/clock.js';
import { type Expiring, ExpiringMap } from '../../../lib/mock-provider/state/expiring-map.js';

const clock = createClock();
beforeEach(() => {
  clock.reset();
  clock.freeze();
});

interface Entry extends Expiring {
  readonly text: string;
}

function mapWithEntry() {
  const map = new ExpiringMap<Entry>(clock, 1000);
  map.set('key', { text: 'value' });
  return map;
}

/** Writes as many other entries as cause a sweep. */
function writeOthers(map: ExpiringMap<Entry>) {
  for (let count = 0; count < 256; count += 1) map.set(`other ${count}`, { text: 'other' });
}

const contents = (map: ExpiringMap<Entry>) => [map.get('key')?.text, map.values().map(({ text }) => text)];

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
    map.set('other', { text: 'other' });
    expect(map.size).toBe(2);
    clock.advance(1);
    map.sweep();
    expect(map.size).toBe(1);
  });

  test('is removed by later writes at its end, and not a millisecond before', () => {
    const map = mapWithEntry();
    clock.advance(999);
    writeOthers(map);
    expect(map.size).toBe(257);
    clock.advance(1);
    writeOthers(map);
    expect(map.size).toBe(256);
  });

  test('that is set again is valid for another lifetime', () => {
    const map = mapWithEntry();
    clock.advance(999);
    map.set('key', { text: 'again' });
    clock.advance(999);
    expect(contents(map)).toEqual(['again', ['again']]);
    clock.advance(1);
    expect(contents(map)).toEqual([undefined, []]);
  });
});

describe('the entries', () => {
  test('are listed with the newest first, which is the one that was set last', () => {
    const map = mapWithEntry();
    map.set('second', { text: 'second' });
    map.set('key', { text: 'again' });
    expect(contents(map)).toEqual(['again', ['again', 'second']]);
  });

  test('above the limit are removed, the oldest first', () => {
    const map = new ExpiringMap<Entry>(clock, 1000, 100);
    map.set('key', { text: 'value' });
    writeOthers(map);
    writeOthers(map);
    expect([map.size <= 356, map.get('key'), map.get('other 255')?.text]).toEqual([true, undefined, 'other']);
    map.sweep();
    expect([map.size, map.get('other 155'), map.get('other 156')?.text]).toEqual([100, undefined, 'other']);
  });

  test('that match are deleted and counted, also one that has expired', () => {
    const map = mapWithEntry();
    clock.advance(1000);
    map.set('second', { text: 'value' });
    map.set('third', { text: 'other' });
    expect([map.deleteWhere(({ text }) => text === 'value'), map.size]).toEqual([2, 1]);
  });

  test('are gone after clear() and delete()', () => {
    const map = mapWithEntry();
    expect([map.delete('key'), map.delete('key')]).toEqual([true, false]);
    map.set('second', { text: 'value' });
    map.clear();
    expect([map.size, map.values()]).toEqual([0, []]);
  });
});
