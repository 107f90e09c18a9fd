import { expect, test } from '@jest/globals';
import { closestName } from '../../../lib/mock-provider/options/closest-name.js';

test.each([
  ['passwrod', ['passwords', 'password'], 'password'],
  ['redirectURI', ['redirectURIs', 'postLogoutRedirectURIs'], 'redirectURIs'],
  ['clientid', ['clientID', 'client'], 'clientID'],
  ['tls', ['port', 'host'], undefined],
])('the closest name to %s among %j is %s', (name, known, closest) => {
  expect(closestName(name, known)).toBe(closest);
});
