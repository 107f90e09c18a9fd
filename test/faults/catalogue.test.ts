import { test } from '@jest/globals';
import { catalogueSection } from './document/catalogue.js';
import { expectSection } from './document/section.js';

test('docs/faults.md contains the catalogue with the outcomes at a site of this package', () => {
  expectSection('catalogue', catalogueSection());
});
