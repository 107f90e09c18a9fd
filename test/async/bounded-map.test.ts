import { expect, test } from '@jest/globals';
import { BoundedMap } from '../../lib/async/bounded-map.js';

test('one entry above the limit drops the entry set longest ago', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('c', 3);
  expect([...map]).toEqual([
    ['b', 2],
    ['c', 3],
  ]);
});

test('an entry set again is the newest, and drops nothing', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2).set('a', 3);
  expect([...map]).toEqual([
    ['b', 2],
    ['a', 3],
  ]);
  expect([...map.set('c', 4).keys()]).toEqual(['a', 'c']);
});
