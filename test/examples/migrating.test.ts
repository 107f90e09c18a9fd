import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from '../architecture/imports.js';

const page = readFileSync(join(root, 'docs', 'migrating.md'), 'utf8');
const sourceOf = (file: string): string => readFileSync(join(root, 'node_modules', file), 'utf8');

/** @returns the names in the first table of a section, in the column `option`. */
function listedOptions(library: string): string[] {
  const section = page.split(`\n## ${library}\n`)[1]?.split('\n## ')[0] ?? '';
  const rows = section.split('| option | here |\n|---|---|\n')[1]?.split('\n\n')[0] ?? '';
  return rows
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}

/** @returns the options that the constructor of a Passport strategy reads. */
function optionsOfStrategy(source: string): string[] {
  const code = source
    .slice(0, source.search(/Strategy\.prototype\.authenticate = /))
    .replaceAll(/\/\*[\s\S]*?\*\//g, '');
  return [...code.matchAll(/\boptions\.(\w+)/g)].map(([, name = '']) => name);
}

/** @returns the options of the schema of express-openid-connect, its keys with the smallest indentation. */
function optionsOfSchema(source: string): string[] {
  const schema = source.split('const paramsSchema = Joi.object({\n')[1]?.split('\n});')[0] ?? '';
  return [...schema.matchAll(/^ {2}(\w+): Joi/gm)].map(([, name = '']) => name);
}

test.each([
  ['passport-oauth2', optionsOfStrategy(sourceOf('passport-oauth2/lib/strategy.js'))],
  ['passport-openidconnect', optionsOfStrategy(sourceOf('passport-openidconnect/lib/strategy.js'))],
  ['express-openid-connect', optionsOfSchema(sourceOf('express-openid-connect/lib/config.js'))],
])('docs/migrating.md lists every option of %s, and no other', (library, options) => {
  expect(options.length).toBeGreaterThan(9);
  expect(listedOptions(library).sort()).toEqual([...new Set(options)].sort());
});
