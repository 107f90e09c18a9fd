import { button, h } from './dom.js';
import { callControl } from './provider.js';

/** @import { OpenedExchange } from '../login-views.js' */

/** The values that the user asked for, until the page is closed: by request, part and name. @type {Map<string, string>} */
const revealed = new Map();
/** @type {() => void} */
let onChange = () => {};

/** @param {() => void} listener is called when a value is shown or hidden */
export function startValues(listener) {
  onChange = listener;
}

/** @returns the keys of the values that are shown. */
export function revealedKeys() {
  return [...revealed.keys()];
}

/**
 * @param {number} request
 * @param {OpenedExchange['sections'][number]['values'][number]} value
 */
function valueRow(request, { name, value, part }) {
  const key = `${request} ${part} ${name}`;
  const shown = revealed.get(key);
  const label = `${name} in the ${part} of request ${request}`;
  const show = async () => {
    const result = await callControl('POST', 'value', { request, part, name });
    if (result) revealed.set(key, result.value);
    onChange();
  };
  const hide = () => {
    revealed.delete(key);
    onChange();
  };
  const isShown = shown !== undefined;
  return h(
    'div',
    h('dt', name),
    h(
      'dd',
      isShown ? h('code', shown) : value || '(empty)',
      part && ' ',
      part && (isShown ? button('Hide', key, hide, `Hide ${label}`) : button('Show', key, show, `Show ${label}`)),
    ),
  );
}

/**
 * Creates the disclosure of what an exchange sent and received.
 * @param {OpenedExchange} exchange
 * @param {boolean} isOpen
 */
export function valueDetails({ number, sections }, isOpen) {
  if (sections.length === 0) return undefined;
  const count = sections.reduce((sum, { values, json }) => sum + (json === undefined ? values.length : 0), 0);
  const parts = [
    count > 0 && (count === 1 ? '1 parameter' : `${count} parameters`),
    sections.some(({ title }) => title === 'Response') && 'response',
    sections.some(({ title }) => title.endsWith('claims')) && 'claims',
  ];
  const shown = sections.map(({ title, json, values }) => {
    const label = `${title} of request ${number}`;
    const rows = values.map((value) => valueRow(number, value));
    return [
      h('h4', title),
      json !== undefined && h('pre', { tabindex: 0, 'data-scroll': '', 'aria-label': label }, h('code', json)),
      rows.length > 0 && h('dl', rows),
    ];
  });
  const summary = h('summary', { 'data-key': `summary ${number}` }, parts.filter(Boolean).join(', '));
  return h('details.values', { 'data-key': `values ${number}`, open: isOpen }, summary, shown);
}
