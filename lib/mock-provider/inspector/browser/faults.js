import { badge, button, byID, fill, h } from './dom.js';
import { callControl, loadFaults } from './provider.js';

/**
 * @import { KnownFault } from '../../control/snapshot.js'
 * @import { FaultKind } from '../../faults/fault.js'
 * @import { QueuedFault } from '../../faults/fault-queue.js'
 */

/** @type {Record<FaultKind, string>} */
const KIND_TITLES = {
  idToken: 'ID Token',
  tokenResponse: 'Token response',
  redirect: 'Redirect to the site',
  logout: 'Logout',
  document: 'Metadata and keys',
  userinfo: 'Userinfo',
  profile: 'Profile',
  failure: 'Provider failure',
  response: 'HTTP response',
};

const queue = h('div', { id: 'fault-queue' });
const filter = h('input', {
  id: 'fault-filter',
  type: 'search',
  autocomplete: 'off',
  placeholder: 'signature, nonce, 500 ...',
});
const always = h('input', { type: 'checkbox', id: 'fault-always' });
const list = h('div', {
  id: 'fault-list',
  class: 'scroll',
  tabindex: '0',
  role: 'group',
  'aria-label': 'Available faults',
});
/** @type {KnownFault[]} */
let known = [];

/** @param {QueuedFault['options']} options */
function optionsText(options) {
  const set = Object.entries(options).filter(([name, value]) => !(name === 'nth' && value === 1));
  return set.map(([name, value]) => `${name} ${value}`).join(', ');
}

/** @param {QueuedFault} fault */
function queuedFault({ name, options, once, remaining }) {
  const when = once ? (remaining > 1 ? `in ${remaining} exchanges` : 'next time') : 'every time';
  const set = optionsText(options);
  const remove = () => callControl('clearFaults', {}, `?name=${encodeURIComponent(name)}`);
  return h(
    'li',
    {},
    h('span', {}, h('code', {}, name), ' ', badge('fault', when), set && h('span', { class: 'soft' }, ` ${set}`)),
    button('Remove', `remove ${name}`, remove, `Remove ${name}`),
  );
}

/**
 * @param {KnownFault} fault
 * @param {string[]} words
 */
function matches({ name, description, aliases, kind }, words) {
  const text = [name, description, KIND_TITLES[kind], ...aliases].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/** @param {KnownFault} fault */
function faultButton({ name, description, source }) {
  const onclick = () => callControl('queueFault', { name, ...(always.checked && { always: true }) });
  return h(
    'li',
    {},
    h(
      'button',
      { type: 'button', class: 'fault', 'data-key': `fault ${name}`, title: source, onclick },
      h('span', { class: 'name' }, name),
      h('span', { class: 'soft' }, description),
    ),
  );
}

function showKnownFaults() {
  const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
  const found = known.filter((fault) => matches(fault, words));
  fill(
    list,
    found.map(({ name }) => name),
    () => {
      if (found.length === 0) return h('p', { class: 'soft' }, 'No fault matches.');
      const kinds = [...new Set(found.map(({ kind }) => kind))];
      return kinds.map((kind) => [
        h('h3', {}, KIND_TITLES[kind]),
        h('ul', {}, found.filter((fault) => fault.kind === kind).map(faultButton)),
      ]);
    },
  );
}

export async function startFaults() {
  byID('faults').replaceChildren(
    queue,
    h('div', { class: 'field' }, h('label', { for: 'fault-filter' }, 'Find a fault'), filter),
    h('div', { class: 'choice' }, always, h('label', { for: 'fault-always' }, 'Apply every time, not only once')),
    list,
  );
  filter.addEventListener('input', showKnownFaults);
  known = await loadFaults();
  showKnownFaults();
}

/** @param {readonly QueuedFault[]} queued */
export function showFaults(queued) {
  fill(queue, queued, () =>
    queued.length === 0
      ? h('p', { class: 'soft' }, 'No faults queued. Select one to apply it to the next login.')
      : h('ul', { class: 'queued' }, queued.map(queuedFault)),
  );
}
