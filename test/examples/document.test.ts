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

test('the nginx configuration of Deploy is that of example-app/compose without the mock provider', () => {
  const [printed] = snippetsOf('', contentOf('docs/operate/deploy.md')).filter(({ language }) => language === 'nginx');
  const template = contentOf('example-app/compose/nginx.conf.template');
  const values = { CERTIFICATES: '.', SITE_1: '127.0.0.1:3000', SITE_2: '127.0.0.1:3001', SITE_PORT: '443' };
  let site = template.slice(template.indexOf('worker_processes'), template.indexOf('\n  upstream service {'));
  for (const [name, value] of Object.entries(values)) site = site.replaceAll(`\${${name}}`, value);
  expect(printed?.code).toBe(`${site}}\n`);
});

test('each file of an example, or one with the same content, is shown', () => {
  expect(files).not.toHaveLength(0);
  const codes = shown.map(({ code }) => code);
  expect(files.filter((file) => !file.endsWith('.json') && !codes.includes(contentOf(file)))).toEqual([]);
});
