import { test } from '@jest/globals';
import { expectSection } from '../helpers/generated-document.js';
import { catalogueSection } from './catalogue.js';

test('docs/assurance/faults.md contains the catalogue with the outcomes at a site of this package', () => {
  expectSection('docs/assurance/faults.md', 'catalogue', catalogueSection(), 'npm run docs:faults');
});
