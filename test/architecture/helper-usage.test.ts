import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

/** Where the relying party is tested from outside. Peers, and pages in a browser, are met without the kit. */
const ROOMS = ['security', 'example-app', 'express', 'integration'];
/** What only somebody needs who walks through the provider's pages by hand. */
const BY_HAND = /\/oauth\/(?:login|consent|resume)\b|form_token|new Person\(\)/g;
/** What they overhear has to go over the wire. */
const ALLOWED: Readonly<Record<string, number>> = { 'test/integration/two-processes.redis.test.ts': 1 };

const files = ROOMS.flatMap((room) =>
  readdirSync(join(root, 'test', room), { recursive: true })
    .map((file) => `test/${room}/${file}`)
    .filter((file) => file.endsWith('.ts')),
);

test('the relying party is signed in to by the test kit alone, never by a walk made by hand', () => {
  expect(files.length).toBeGreaterThan(20);
  const walks = files
    .map((file) => ({ file, count: readFileSync(join(root, file), 'utf8').match(BY_HAND)?.length ?? 0 }))
    .filter(({ file, count }) => count > (ALLOWED[file] ?? 0));
  expect(walks).toEqual([]);
});
