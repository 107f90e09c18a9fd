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
  return Object.entries(options)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');
}

/** @param {QueuedFault} fault */
function queuedFault({ name, options, once }) {
  const when = once ? 'next time' : 'every time';
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
function matches({ name, description, kind }, words) {
  const text = [name, description, KIND_TITLES[kind]].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

/**
 * @param {KnownFault} fault
 * @param {object} options
 */
function queueFault({ name }, options) {
  return callControl('queueFault', { name, ...options, ...(always.checked && { always: true }) });
}

/** @param {KnownFault} fault */
function faultItem(fault) {
  const { name, description, source } = fault;
  // Only one of them is open, because they have the same name.
  const settings = h('details', { name: 'fault-settings' }, h('summary', {}, 'Settings'));
  settings.addEventListener('toggle', () => {
    if (settings.open) settings.append(settingsForm(fault));
    else settings.querySelector('form')?.remove();
  });
  return h(
    'li',
    {},
    h(
      'button',
      {
        type: 'button',
        class: 'fault',
        'data-key': `fault ${name}`,
        title: source,
        onclick: () => void queueFault(fault, {}),
      },
      h('span', { class: 'name' }, name),
      h('span', { class: 'soft' }, description),
    ),
    settings,
  );
}

/** @type {Record<KnownFault['options'][number], { label: string, initial?: string, choices?: string[] }>} */
const SETTINGS = {
  endpoint: { label: 'Endpoint' },
  client: { label: 'Client', initial: 'every client' },
  grantType: { label: 'Grant type', initial: 'every grant type', choices: ['authorization_code', 'refresh_token'] },
  delay: { label: 'Delay', initial: '1 second' },
};

/**
 * Creates the form for the options that a fault accepts. An empty field is the default.
 * @param {KnownFault} fault
 */
function settingsForm(fault) {
  const fields = fault.options.map((option) => {
    const { label, initial = fault.endpoint ?? 'the first one requested', ...kind } = SETTINGS[option];
    const choices = option === 'endpoint' ? fault.endpoints : kind.choices;
    const id = `fault-${option}`;
    const field = choices
      ? h(
          'select',
          { id },
          h('option', { value: '' }, initial),
          choices.filter((one) => one !== fault.endpoint).map((one) => h('option', {}, one)),
        )
      : h('input', { id, autocomplete: 'off', placeholder: initial });
    return { option, label, field };
  });
  const form = h(
    'form',
    {},
    fields.map(({ label, field }) => h('div', { class: 'field' }, h('label', { for: field.id }, label), field)),
    h('button', { class: 'quiet' }, `Queue ${fault.name}`),
  );
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    const set = fields.filter(({ field }) => field.value.trim() !== '');
    const entries = set.map(({ option, field: { value } }) => [option, value.trim()]);
    void queueFault(fault, Object.fromEntries(entries));
  });
  return form;
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
        h('ul', {}, found.filter((fault) => fault.kind === kind).map(faultItem)),
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
