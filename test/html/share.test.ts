import { expect, test } from '@jest/globals';
import shareScript from '../../lib/html/browser/share.js?text';
import { fakeBrowser } from './fake-browser.js';

const DATA = { url: 'https://clinic.example/a?b=c', message: 'Two words & more', subject: '' };

const link = (changes: object = {}) => ({
  ...{ dataset: DATA as Record<string, string>, search: '', selector: '.clinician-share-script' },
  ...changes,
});

test('a share link that the script of the service has not changed gets its values at a click, each once', () => {
  const { click } = fakeBrowser(shareScript);
  const shared = link();
  expect(click(shared)).toBe(false);
  expect(shared.search).toBe('url=https%3A%2F%2Fclinic.example%2Fa%3Fb%3Dc&message=Two%20words%20%26%20more');
});

test.each<[string, object, object]>([
  ['that has a query', { search: '?message=x' }, {}],
  ['whose click the script of the service handles', {}, { defaultPrevented: true }],
  ['without values', { dataset: {} }, {}],
])('a share link %s is not changed', (_, changes, how) => {
  const shared = link(changes);
  const before = shared.search;
  fakeBrowser(shareScript).click(shared, how);
  expect(shared.search).toBe(before);
});
