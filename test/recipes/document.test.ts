import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../architecture/imports.js';
import { snippetsOf } from '../architecture/snippets.js';

const document = 'docs/recipes.md';
const fileOf = (words: readonly string[]): string | undefined =>
  words.find((word) => word.startsWith('file='))?.slice('file='.length);
const shown = snippetsOf(document, readFileSync(join(root, document), 'utf8')).map(({ flags: words, code }) => ({
  file: fileOf(words),
  code,
}));
const files = readdirSync(join(root, 'test', 'recipes'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(join(root, 'test', 'recipes', name)).map((file) => `test/recipes/${name}/${file}`),
  );
const contentOf = (file: string): string => readFileSync(join(root, file), 'utf8');

test('each block with a file name has the content of that file', () => {
  const blocks = shown.filter(({ file }) => file !== undefined);
  expect(blocks).not.toHaveLength(0);
  for (const { file = '', code } of blocks) expect({ file, code }).toEqual({ file, code: contentOf(file) });
});

test('each recipe file, or one with the same content, is shown', () => {
  expect(files).not.toHaveLength(0);
  const codes = shown.map(({ code }) => code);
  expect(files.filter((file) => !file.endsWith('.json') && !codes.includes(contentOf(file)))).toEqual([]);
});
