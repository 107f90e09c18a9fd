import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { expectSection } from '../generated-document.js';
import { diagram, leafTable, moduleTable } from './architecture-document.js';
import { root, sources } from './imports.js';
import { MOCK_MODULES, MODULES } from './modules.js';

const DOCUMENT = 'docs/architecture.md';

describe('docs/architecture.md', () => {
  test.each([
    ['relying party', diagram(MODULES) + moduleTable(MODULES)],
    ['leaf modules', leafTable()],
    ['mock provider', diagram(MOCK_MODULES) + moduleTable(MOCK_MODULES)],
  ])('contains the modules: %s', (section, text) => {
    expectSection(DOCUMENT, section, text, 'npm run docs:architecture');
  });

  test('names only files that exist', () => {
    const page = readFileSync(join(root, DOCUMENT), 'utf8');
    const files = [...page.matchAll(/`([\w./-]+\.ts)`/g)].map(([, file = '']) => file);
    const existing = [...sources('lib'), ...sources('test')].map((file) => `/${file}`);
    expect(files.length).toBeGreaterThan(40);
    expect(files.filter((file) => !existing.some((path) => path.endsWith(`/${file}`)))).toEqual([]);
  });
});

test('the diagram omits an arrow that other arrows imply', () => {
  const module = (...imports: string[]) => ({ purpose: '', imports });
  const arrows = diagram({
    top: module('middle', 'bottom', 'errors'),
    middle: module('bottom'),
    bottom: module('errors'),
  });
  expect(arrows.match(/.*-->.*/g)).toEqual([
    '    top --> middle',
    '    middle --> bottom',
    '    bottom --> leaves[leaf modules]',
  ]);
});
