import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

/** Every file that is, or is about to be, in the repository; `git` knows which. */
const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  .toString()
  .split('\0')
  .filter((file) => file !== '');

function read(file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch {
    return ''; // deleted, and not yet committed as such
  }
}

const SOURCE = /\.(?:[cm]?[jt]s|json|ya?ml|sh)$|^\.ci\//;

/** Not ASCII is allowed where a comment of the same file says why: `Non-ASCII: ...`. */
function strangeLines(text: string): string[] {
  if (/Non-ASCII: \w/.test(text)) return [];
  return text.split('\n').filter((line) => /[^\t\r\x20-\x7e]/.test(line));
}

const REGISTRY = /\bregistry\.(?:npmjs|yarnpkg)\b|\b(?:pypi|crates|debian|maven)[\w.-]*\.(?:org|io)\b/i;
const MACHINE_PATH = /(?<![\w.$})*-])\/(?:work|root|tmp|Users|home\/\w+)\//;
const ADDRESS_IN_LOCK = /"resolved":\s*"(?!file:)/;

/** @returns what in a text belongs to one machine or network and not in a repository. */
function machineBound(file: string, text: string): string[] {
  const rules = file.endsWith('package-lock.json') ? [REGISTRY, ADDRESS_IN_LOCK] : [REGISTRY, MACHINE_PATH];
  return text.split('\n').filter((line) => rules.some((rule) => rule.test(line)));
}

test('sources are ASCII, except where a comment says why', () => {
  const strange = files
    .filter((file) => SOURCE.test(file))
    .flatMap((file) => strangeLines(read(file)).map((line) => `${file}: ${line.trim()}`));
  expect(strange).toEqual([]);
});

test('no file names a registry host or a path of one machine', () => {
  const bound = files.flatMap((file) => machineBound(file, read(file)).map((line) => `${file}: ${line.trim()}`));
  expect(bound).toEqual([]);
});

test('both would be seen', () => {
  const host = ['registry', 'npmjs', 'org'].join('.');
  const place = ['', 'work', 'main', 'lib'].join('/');
  expect(strangeLines('const name = "Ren\u00e9";')).toHaveLength(1);
  expect(strangeLines('// Non-ASCII: names have accents\nconst name = "Ren\u00e9";')).toEqual([]);
  expect(machineBound('a.md', `npm i --registry https://${host}/`)).toHaveLength(1);
  expect(machineBound('a.ts', `const file = '${place}/a.ts';`)).toHaveLength(1);
  expect(machineBound('package-lock.json', `"resolved": "https://elsewhere.example/a.tgz"`)).toHaveLength(1);
});
