import { expect, test } from '@jest/globals';
import { startMockProvider } from '../../../lib/mock-provider/mock-provider.js';
import { PERSONA_DESCRIPTIONS, PERSONAS } from '../../../lib/mock-provider/options/personas.js';
import { code, expectSection, table } from '../../documents.js';

test.each(['docs/test/mock-provider.md', 'docs/start/getting-started.md'])('%s lists the test users', (document) => {
  const rows = Object.entries(PERSONA_DESCRIPTIONS).map(([username, description]) => [code(username), description]);
  expectSection(document, 'test users', `\n${table(['user name', 'profile'], rows)}\n`, 'npm run docs:test-users');
});

test('the default ids of users depend only on their names', async () => {
  const usernames = ['alice', 'bob', 'carol'];
  const idsOf = async (clinicians: readonly { username: string }[]) => {
    await using provider = await startMockProvider({ clinicians });
    return [...usernames, 'verified', 'pending'].map((name) => provider.clinicians.get(name).id);
  };
  const ids = await idsOf(usernames.map((username) => ({ username })));
  expect(await idsOf([{ username: 'zoe' }, ...usernames.reverse().map((username) => ({ username }))])).toEqual([
    ...ids.slice(0, 3).reverse(),
    ...ids.slice(3),
  ]);
  expect(new Set(ids).size).toBe(5);
  for (const id of ids) expect(String(id)).toMatch(/^[1-9]\d{10}$/);
});

test('the test users are in the order of their descriptions', () => {
  expect(PERSONAS.map(({ username }) => username)).toEqual(Object.keys(PERSONA_DESCRIPTIONS));
});
