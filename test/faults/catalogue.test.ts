import { expect, test } from '@jest/globals';
import { catalogueSection } from './document/catalogue.js';
import { write, written } from './document/markers.js';

test('docs/faults.md has the catalogue, with what comes of each fault here: npm run fault-table', () => {
  if (process.env.WRITE_FAULT_TABLE) write('catalogue', catalogueSection());
  expect(written('catalogue')).toBe(catalogueSection());
});
