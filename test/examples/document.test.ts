import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../architecture/imports.js';
import { snippetsOf } from '../architecture/snippets.js';
import { pages } from '../documents.js';

const contentOf = (file: string): string => readFileSync(join(root, file), 'utf8');
const shown = pages
  .flatMap((document) => snippetsOf(document, contentOf(document)).map((snippet) => ({ ...snippet, document })))
  .flatMap(({ document, flags, code }) =>
    flags
      .filter((flag) => flag.startsWith('file='))
      .map((flag) => ({ document, file: flag.slice('file='.length), code })),
  );
const files = readdirSync(join(root, 'test', 'examples'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .flatMap(({ name }) =>
    readdirSync(join(root, 'test', 'examples', name)).map((file) => `test/examples/${name}/${file}`),
  );

test('each block with a file name has the content of that file', () => {
  expect(shown).not.toHaveLength(0);
  for (const { code, ...place } of shown) expect({ ...place, code }).toEqual({ ...place, code: contentOf(place.file) });
});

test('each file of an example, or one with the same content, is shown', () => {
  expect(files).not.toHaveLength(0);
  const codes = shown.map(({ code }) => code);
  expect(files.filter((file) => !file.endsWith('.json') && !codes.includes(contentOf(file)))).toEqual([]);
});
