import { expect, test } from '@jest/globals';
import { PERSONA_DESCRIPTIONS, PERSONAS } from '../../../lib/mock-provider/options/personas.js';
import { code, expectSection, table } from '../../helpers/generated-document.js';

test.each(['docs/test/mock-provider.md', 'docs/start/getting-started.md'])('%s lists the test users', (document) => {
  const rows = Object.entries(PERSONA_DESCRIPTIONS).map(([username, description]) => [code(username), description]);
  expectSection(document, 'test users', `\n${table(['user name', 'profile'], rows)}\n`, 'npm run docs:test-users');
});

test('the test users are in the order of their descriptions', () => {
  expect(PERSONAS.map(({ username }) => username)).toEqual(Object.keys(PERSONA_DESCRIPTIONS));
});
