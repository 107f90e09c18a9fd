import { expect, test } from '@jest/globals';
import { closestName } from '../../lib/options/option-table.js';

test.each([
  ['onErent', ['onError', 'onEvent'], 'onEvent'],
  ['clientid', ['clientID'], 'clientID'],
  ['colour', ['scope', 'flow'], undefined],
])('the closest name to %s among %j is %s', (name, names, closest) => {
  expect(closestName(name, names)).toBe(closest);
});
