import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { root } from './imports.js';

/** Words that this project replaces by a standard term, each with the term to use. */
const REPLACED: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\b(decision|attack)s? \d+/i, 'the id of the rule, or a description of the attack'],
  [/\b(whoever|whom)\b/i, 'the caller, users who'],
  [/\b(no|some|every|any)body\b/i, 'no user, another user, any client'],
  [/\btold\b/i, 'receives, is notified, reports'],
  [/\b(anew|for ever|till|seldom|besides)\b/i, 'again, forever, until, rarely, also'],
  [/\b(stands|stood)\b/i, 'is, remains, appears, is defined in'],
  [/(?<!leave )(?<!leaves )(?<!them )\balone\b/i, 'only'],
  [/\bspoil(s|t|ed)?\b/i, 'alter, altered'],
  [/\b(strikes?|struck|striking)\b/i, 'apply, applied'],
  [/\b(cures?|mend(s|ed)?)\b/i, 'fix'],
  [/\bbreach(es)?\b/i, 'violation'],
  [/\b(house|street|desk|reception)s?\b/i, 'instance, registry, handler'],
  [/\bpatience\b/i, 'timeout'],
  [/\bmade[- ]up\b|for the occasion/i, 'generated, invalid'],
  [/\b(person|somebody|service)'s (no|words?)\b/i, 'denial, error_description'],
  [/\bsa(ys?|id) no\b/i, 'denies'],
  [/\b(sent|goes?) round\b|in circles/i, 'loops, is redirected'],
  [/\b(no say|last word|said aloud|leaves word)\b/i, 'has no effect, overrides, explicitly'],
  [/\bwindow of (its|their) own\b/i, 'popup'],
  [/\b(comes?|came|became) of (it|the|this|that|a)\b/i, 'result, outcome'],
  [/\bletter by letter\b|\bbe meant\b/i, 'exactly, be intended'],
  [/\bof ours\b|\bas (it|they) stands?\b/i, "this package's, unchanged"],
  [/\bvouch\w*|\bdear(est)?\b|\bholes?\b/i, 'verified by, expensive, vulnerability'],
  [/\bwithout (a|any) question\b/i, 'silently'],
];

/** Pages with notes of a clinician, which are sample data. */
const ALLOWED = ['example-app/views/notes.eta'];
const LIST = /^test\/architecture\/word-list\.test\.ts$/;

const files = execFileSync(
  'git',
  [
    'ls-files',
    '-z',
    'lib',
    'docs',
    'example-app',
    'README.md',
    'SECURITY.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
    'test',
  ],
  { cwd: root },
)
  .toString()
  .split('\0')
  .filter((file) => /\.(?:[cm]?[jt]s|md|json|eta|css)$/.test(file) && !ALLOWED.includes(file) && !LIST.test(file));

/** In tests the rule is for what a run prints: the titles. */
function checkedText(file: string, text: string): string {
  if (!file.startsWith('test/')) return text;
  const titles = text.matchAll(/(?:\b(?:test|describe|it)(?:\.\w+)*\(|\]\)\()\s*(['"`])((?:(?!\1).)*)\1/g);
  return [...titles].map(([, , title]) => title).join('\n');
}

function replacedWords(file: string, text: string): string[] {
  return checkedText(file, text)
    .split('\n')
    .flatMap((line) =>
      REPLACED.filter(([word]) => word.test(line)).map(
        ([word, instead]) => `${file}: ${word.exec(line)?.[0]} (use: ${instead}) in: ${line.trim().slice(0, 120)}`,
      ),
    );
}

test('no file contains a word that this project replaces', () => {
  expect(files.length).toBeGreaterThan(400);
  const found = files.flatMap((file) => replacedWords(file, readFileSync(join(root, file), 'utf8')));
  expect(found).toEqual([]);
});

test('a replaced word is found in code and in a test title, and not in the code of a test', () => {
  expect(replacedWords('lib/a.ts', '/** Refuses whoever asks. */')).toHaveLength(1);
  expect(replacedWords('test/a.test.ts', "test('nobody is signed in', () => {});")).toHaveLength(1);
  expect(replacedWords('test/a.test.ts', 'const nobody = undefined;')).toEqual([]);
});
