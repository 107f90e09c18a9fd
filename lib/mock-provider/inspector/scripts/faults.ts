/** The faults: those that wait, and all there are, to be clicked. */
export const FAULTS_SCRIPT = `
import { badge, byID, fill, h } from './dom.js';
import { faults, press } from './provider.js';

const KINDS = {
  idToken: 'ID Token', tokenResponse: 'Token response', redirect: 'Redirect to the site', logout: 'Logout', document: 'Metadata and keys',
  userinfo: 'Userinfo', profile: 'Profile', down: 'Provider down', answer: 'On the wire',
};

let known = [];

function told(options) {
  const said = Object.entries(options).filter(([name, value]) => !(name === 'nth' && value === 1));
  return said.length === 0 ? '' : said.map(([name, value]) => name + ' ' + value).join(', ');
}

function waiting(list) {
  if (list.length === 0) return h('p', { class: 'soft' }, 'None waits. Click one, and the next login meets it.');
  return h('ul', { class: 'waiting' }, list.map(({ name, options, once, left }) =>
    h('li', {},
      h('span', {}, h('code', {}, name), ' ', badge('fault', once ? (left > 1 ? 'in ' + left + ' chances' : 'next time') : 'every time'),
        told(options) && h('span', { class: 'soft' }, ' ' + told(options))),
      h('button', { type: 'button', class: 'quiet', 'data-key': 'remove ' + name, 'aria-label': 'Remove ' + name,
        onclick: () => press('clearFaults', {}, '?name=' + encodeURIComponent(name)) }, 'Remove'))));
}

function fits({ name, description, aliases, kind }, words) {
  const text = [name, description, KINDS[kind], ...aliases].join(' ').toLowerCase();
  return words.every((word) => text.includes(word));
}

function offer(fault) {
  const always = () => byID('fault-always').checked;
  return h('li', {}, h('button', { type: 'button', class: 'fault', 'data-key': 'fault ' + fault.name, title: fault.source,
    onclick: () => press('queueFault', { name: fault.name, ...(always() && { always: true }) }) },
  h('span', { class: 'name' }, fault.name), h('span', { class: 'soft' }, fault.description)));
}

function offers() {
  const words = byID('fault-filter').value.toLowerCase().split(/\\s+/).filter(Boolean);
  const fitting = known.filter((fault) => fits(fault, words));
  fill(byID('fault-list'), fitting.map(({ name }) => name), () => {
    if (fitting.length === 0) return h('p', { class: 'soft' }, 'There is no such fault.');
    const kinds = [...new Set(fitting.map(({ kind }) => kind))];
    return kinds.map((kind) => [
      h('h3', {}, KINDS[kind] ?? kind),
      h('ul', { class: 'offers' }, fitting.filter((fault) => fault.kind === kind).map(offer)),
    ]);
  });
}

export async function startFaults() {
  byID('faults').replaceChildren(
    h('div', { id: 'fault-waiting' }),
    h('div', { class: 'field' }, h('label', { for: 'fault-filter' }, 'Find a fault'), h('input', { id: 'fault-filter', type: 'search', autocomplete: 'off', placeholder: 'signature, nonce, 500 ...' })),
    h('div', { class: 'choice' }, h('input', { type: 'checkbox', id: 'fault-always' }), h('label', { for: 'fault-always' }, 'Every time, not just once')),
    h('div', { id: 'fault-list', class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Faults to click' }));
  byID('fault-filter').addEventListener('input', offers);
  known = await faults();
  offers();
}

export function showFaults(list) {
  const place = byID('fault-waiting');
  if (place) fill(place, list, () => waiting(list));
}
`;
