import { byID, fill, h } from './dom.js';

/** @import { InspectorView } from '../view.js' */

const FILTERS = /** @type {const} */ (['client', 'user', 'result']);

/** @param {(typeof FILTERS)[number]} name */
const filterOf = (name) => /** @type {HTMLSelectElement} */ (byID(`filter-${name}`));

/** @returns the fragment of the page's address, which names what is open: `login-3`, `request-12` or `other-requests` */
export function selectedEntry() {
  return location.hash.slice(1);
}

/** @returns the query that selects what the page shows. */
export function selectionQuery() {
  const filters = FILTERS.map((name) => [name, filterOf(name).value]).filter(([, value]) => value);
  return String(new URLSearchParams([['open', selectedEntry()], ...filters]));
}

export function clearFilters() {
  for (const name of FILTERS) filterOf(name).value = '';
  filterOf('result').dispatchEvent(new Event('change'));
}

/** @param {() => void} onChange is called when the user selects something else */
export function startSelection(onChange) {
  addEventListener('hashchange', onChange);
  for (const name of FILTERS) {
    filterOf(name).addEventListener('change', () => {
      // The newest login that matches is opened, not the one that was.
      history.replaceState(null, '', location.pathname);
      onChange();
    });
  }
}

/** @param {InspectorView} state */
export function showFilters({ clients, clinicians }) {
  setOptions(
    'client',
    'All clients',
    clients.map(({ clientID }) => clientID),
  );
  setOptions(
    'user',
    'All users',
    clinicians.map(({ username }) => username),
  );
}

/**
 * @param {'client' | 'user'} name
 * @param {string} all
 * @param {string[]} values
 */
function setOptions(name, all, values) {
  const { value } = filterOf(name);
  fill(filterOf(name), values, () => [
    h('option', { value: '' }, all),
    values.map((one) => h('option', { value: one }, one)),
  ]);
  filterOf(name).value = values.includes(value) ? value : '';
}
