import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { projectFiles } from '../documents.js';
import { root } from './imports.js';

const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const SOURCE = /\.(?:[cm]?[jt]s|json|ya?ml|sh)$|^\.ci\//;

/** @returns the lines with other characters than ASCII, unless a comment `Non-ASCII: ...` of the file gives the reason. */
function nonASCIILines(text: string): string[] {
  if (/Non-ASCII: \w/.test(text)) return [];
  return text.split('\n').filter((line) => /[^\t\r\x20-\x7e]/.test(line));
}

const REGISTRY = /\bregistry\.(?:npmjs|yarnpkg)\b|\b(?:pypi|crates|debian|maven)[\w.-]*\.(?:org|io)\b/i;
const MACHINE_PATH = /(?<![\w.$})*-])\/(?:work|root|tmp|Users|home\/\w+)\//;
const ADDRESS_IN_LOCK = /"resolved":\s*"(?!file:)/;

/** @returns the lines with a host or path of one machine or network. */
function machineSpecificLines(file: string, text: string): string[] {
  const rules = file.endsWith('package-lock.json') ? [REGISTRY, ADDRESS_IN_LOCK] : [REGISTRY, MACHINE_PATH];
  return text.split('\n').filter((line) => rules.some((rule) => rule.test(line)));
}

const MESSAGE =
  /\.message\s*(?:[!=]==|\.(?:includes|startsWith|endsWith|match|search|replace)\()|\.(?:test|exec)\([\w.]*\.message\)/;

/** @returns the lines that decide by the words of an error message. */
function messageComparisons(text: string): string[] {
  return text.split('\n').filter((line) => MESSAGE.test(line));
}

/** Words and phrases that a standard term replaces. */
const REPLACED = new RegExp(
  [
    ...[
      '(decision|attack)s? \\d+',
      'who(ever|m)',
      '(no|some|every|any)body',
      'told',
      'anew',
      'for ever',
      'till',
      'seldom',
    ],
    ...['besides', 'stands|stood', '(?<!(leaves?|them) )alone', 'spoil(s|t|ed)?', 'strikes?|struck|striking', 'cures?'],
    ...['mend(s|ed)?', 'breach(es)?', '(house|street|desk|reception)s?', 'patience', 'made[- ]up', 'for the occasion'],
    ...["(person|service)'s (no|words?)", 'sa(ys?|id) (no|aloud)', '(sent|goes?) round', 'in circles', 'no say'],
    ...['last word', 'leaves word', 'window of (its|their) own', '(comes?|came|became) of (it|the|this|that|a)'],
    ...['letter by letter', 'be meant', 'of ours', 'as (it|they) stands?', 'vouch\\w*', 'dear(est)?', 'holes?'],
    ...['without (a|any) question'],
  ]
    .map((words) => `\\b(?:${words})\\b`)
    .join('|'),
  'i',
);
const TEST_TITLE = /(?:\b(?:test|describe|it)(?:\.\w+)*\(|\]\)\()\s*(['"`])((?:(?!\1).)*)\1/g;

/** @returns each replaced word with its line; of a test, only titles, which a run prints. The notes are sample data. */
function replacedWords(file: string, text: string): string[] {
  if (!/^(?:lib|docs|example-app|test)\/|^[A-Z]+\.md$/.test(file) || file === 'example-app/views/notes.eta') return [];
  const lines = file.startsWith('test/')
    ? [...text.matchAll(TEST_TITLE)].map(([, , title = '']) => title)
    : text.split('\n');
  return lines.flatMap((line) => (REPLACED.test(line) ? [`${REPLACED.exec(line)?.[0]} in: ${line.trim()}`] : []));
}

test('no text has a word that a standard term replaces', () => {
  const texts = projectFiles.filter((file) => /\.(?:[cm]?[jt]s|md|json|eta|css)$/.test(file));
  const found = texts.flatMap((file) => replacedWords(file, read(file)).map((line) => `${file}: ${line}`));
  expect(found).toEqual([]);
});

test('no code decides by the words of an error message, except by those of Redis', () => {
  const comparing = projectFiles.filter((file) => /^(?:lib|example-app|scripts)\/.*\.[cm]?[jt]s$/.test(file));
  expect(comparing.filter((file) => messageComparisons(read(file)).length > 0)).toEqual([
    'lib/token-vault/redis-token-store.ts',
  ]);
});

test('sources are ASCII, except where a comment gives the reason', () => {
  const nonASCII = projectFiles
    .filter((file) => SOURCE.test(file))
    .flatMap((file) => nonASCIILines(read(file)).map((line) => `${file}: ${line.trim()}`));
  expect(nonASCII).toEqual([]);
});

test('no file contains a registry host or a path of one machine', () => {
  const machineSpecific = projectFiles.flatMap((file) =>
    machineSpecificLines(file, read(file)).map((line) => `${file}: ${line.trim()}`),
  );
  expect(machineSpecific).toEqual([]);
});
