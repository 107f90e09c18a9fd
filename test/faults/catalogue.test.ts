import { expect, test } from '@jest/globals';
import { catalogueSection } from './document/catalogue.js';
import { write, written } from './document/markers.js';

test('docs/faults.md has the catalogue, with what comes of each fault here: npm run docs:faults', () => {
  if (process.env.WRITE_GENERATED) write('catalogue', catalogueSection());
  expect(written('catalogue')).toBe(catalogueSection());
});
