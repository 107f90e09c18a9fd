import { expect, test } from '@jest/globals';
import { closestName } from '../../lib/errors/closest-name.js';

test.each([
  ['onErent', ['onError', 'onEvent'], 'onEvent'],
  ['clientid', ['clientID', 'client'], 'clientID'],
  ['passwrod', ['passwords', 'password'], 'password'],
  ['redirectURI', ['redirectURIs', 'postLogoutRedirectURIs'], 'redirectURIs'],
  ['flwo', ['flow', 'ca'], 'flow'],
  // Both are at distance 1: the common beginning decides, not the order of the list.
  ['label', ['babel', 'labels'], 'labels'],
  ['themes', ['schemes', 'theme'], 'theme'],
])('the closest name to %s among %j is %s', (name, names, closest) => {
  expect(closestName(name, names)).toBe(closest);
  expect(closestName(name, names.toReversed())).toBe(closest);
});

test.each([
  ['colour', ['scope', 'flow']],
  ['tls', ['port', 'host']],
  ['id', ['ca']],
  ['', ['a', 'ca']],
])('no name is close to %s among %j', (name, names) => {
  expect(closestName(name, names)).toBeUndefined();
});

test('a name of more than 100 letters is close to no other', () => {
  const long = 'a'.repeat(100);
  expect(closestName(long, [`${long}b`])).toBe(`${long}b`);
  expect(closestName(`${long}a`, [`${long}b`])).toBeUndefined();
});
