import { expect, test } from '@jest/globals';
import { expectSection } from '../helpers/generated-document.js';
import { diagram, leafTable, moduleTable } from './architecture-document.js';
import { MOCK_MODULES, MODULES } from './modules.js';

test.each([
  ['relying party', diagram(MODULES) + moduleTable(MODULES)],
  ['leaf modules', leafTable()],
  ['mock provider', diagram(MOCK_MODULES) + moduleTable(MOCK_MODULES)],
])('docs/project/architecture.md contains the modules: %s', (section, text) => {
  expectSection('docs/project/architecture.md', section, text, 'npm run docs:architecture');
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
