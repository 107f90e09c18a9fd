import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { signedInAlreadyPage } from '../../lib/html/pages.js';
import { type CompleteTexts, ENGLISH, fill, placeholdersOf } from '../../lib/html/texts.js';
import { root } from '../architecture/imports.js';
import { expectSection, table } from '../documents.js';
import { german } from '../examples/programs/german.mjs';
import { everyPage, LOOK, otherPages } from './every-page.js';

test('docs/reference/texts.md lists every text', () => {
  const rows = Object.entries(ENGLISH).map(([name, text]) => [`\`${name}\``, text]);
  expectSection('docs/reference/texts.md', 'texts', table(['name', 'English'], rows), 'npm run docs:texts');
});

test('each page that docs/use/branding.md says how to open has a title of the texts', () => {
  const guide = readFileSync(join(root, 'docs/use/branding.md'), 'utf8');
  const [, rows = ''] = /^\| page \| how to open it \|\n.*\n((?:\|.*\n)+)/m.exec(guide) ?? [];
  const titles = [...rows.matchAll(/^\| (.*?) \|/gm)].map(([, title]) => title);
  expect(titles.length).toBeGreaterThan(5);
  expect(Object.values(ENGLISH)).toEqual(expect.arrayContaining(titles));
});

describe('a text', () => {
  test('has its values isolated, and a part between asterisks emphasized', () => {
    expect(fill('*Sign out* at {service}.', { service: 'auth.example' }).toString()).toBe(
      '<strong>Sign out</strong> at <bdi>auth.example</bdi>.',
    );
    expect(fill('2 * 3').toString()).toBe('2 * 3');
  });

  test('is escaped with its values', () => {
    expect(fill('<b>*{name}*</b>', { name: '<i>' }).toString()).toBe(
      '&lt;b&gt;<strong><bdi>&lt;i&gt;</bdi></strong>&lt;/b&gt;',
    );
    const texts = { ...ENGLISH, lang: '"><script>', signedInTitle: '</title><script>', backHome: '<script>' };
    expect(signedInAlreadyPage({ ...LOOK, texts }).html).not.toContain('<script');
  });

  test('of a value cannot have placeholders', () => {
    expect(fill('{name}', { name: '{service}*a*' }).toString()).toBe('<bdi>{service}*a*</bdi>');
  });
});

describe('the German texts', () => {
  const texts: CompleteTexts = { ...ENGLISH, ...german }; // the first test names a missing one
  const pages = [...everyPage('Visite', '/weiter', { texts }), ...otherPages({ texts })];
  /** The parts of a text around its placeholders, as a page has them. */
  const partsOf = (text: string) =>
    text
      .split(/\{\w+\}|\*/)
      .map((part) => part.trim())
      .filter((part) => part.length > 1);

  test('are complete, with the same placeholders', () => {
    const namesOf = (language: Readonly<Record<string, string>>) =>
      Object.entries(language).map(([name, text]) => [name, placeholdersOf(text)]);
    expect(namesOf(german)).toEqual(namesOf(ENGLISH));
  });

  test('are each shown on a page, or on a button', () => {
    const { signIn: _signIn, share: _share, ...others } = german;
    const all = pages.map(([, { html }]) => html).join('\n');
    const missing = Object.entries(others).filter(([, text]) => !partsOf(text).every((part) => all.includes(part)));
    expect(missing).toEqual([]);
  });
});
