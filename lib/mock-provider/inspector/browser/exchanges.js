import { badge, h } from './dom.js';
import { durationText, timeOfDay } from './time.js';
import { valueDetails } from './values.js';

/**
 * @import { Problem } from '../../recording/problems.js'
 * @import { OpenedExchange } from '../login-views.js'
 */

const SENDERS = { browser: 'Browser', site: 'Site' };

/** @param {string} text */
const withFullStop = (text) => text.replace(/\.?$/, '.');

/** @param {readonly string[]} values */
function codes(values) {
  if (values.length === 0) return 'none';
  return values.flatMap((value, index) => [index > 0 && ', ', h('code', {}, value)]);
}

/** @param {Problem} problem */
export function problemBox({ reason, error, rule, source, fix, sent, registered }) {
  return h(
    'div',
    { class: 'problem' },
    h('p', { class: 'reason' }, withFullStop(reason)),
    registered && [h('p', {}, 'Sent: ', h('code', {}, sent ?? '')), h('p', {}, 'Registered: ', codes(registered))],
    fix && h('p', { class: 'fix' }, h('strong', {}, 'Fix: '), fix),
    h('p', { class: 'rule' }, h('code', {}, error), ' ', source, ' \u00b7 ', rule),
  );
}

/** @param {string | undefined} url */
function redirectToSite(url) {
  if (!url) return undefined;
  const [page = ''] = url.split(/[?#]/);
  return h(
    'div',
    { class: 'redirect' },
    h('span', { class: 'direction' }, 'Browser to site: '),
    h('code', { title: url }, page.replace(/^https?:\/\//, '')),
  );
}

/** How the exchanges of a login are shown. */
/** @typedef {{ startedAt: number | undefined, explainsProblems: boolean, selected: string }} SequenceOptions */

/**
 * @param {OpenedExchange} exchange
 * @param {SequenceOptions} options
 */
function exchangeItem(exchange, { startedAt = Number.POSITIVE_INFINITY, explainsProblems, selected }) {
  const { number, sender, purpose, method, path, status, response, tone, fault, problems, at } = exchange;
  const elapsedMs = at - startedAt;
  const id = `request-${number}`;
  const isSelected = id === selected;
  return h(
    'li',
    { class: `exchange from-${sender} ${tone}${isSelected ? ' selected' : ''}`, id, 'data-key': id, tabindex: -1 },
    h(
      'a',
      { class: 'at', href: `#${id}`, title: timeOfDay(at), 'aria-label': `Link to request ${number}` },
      `#${number}`,
      elapsedMs >= 1000 && h('span', {}, ` +${durationText(elapsedMs)}`),
    ),
    h(
      'div',
      { class: 'request' },
      h('span', { class: 'direction' }, `${SENDERS[sender]} to provider: `),
      h('span', { class: 'purpose' }, purpose),
      h('code', {}, `${method} ${path}`),
    ),
    h(
      'div',
      { class: 'response' },
      h('span', { class: 'direction' }, 'Response: '),
      badge(tone, String(status)),
      h('span', { class: 'response-text' }, response),
    ),
    fault && h('p', { class: 'fault-note' }, h('strong', {}, `Fault: ${fault.name}`), ' ', fault.description),
    problems.map((one) =>
      explainsProblems ? problemBox(one) : h('p', { class: 'problem' }, withFullStop(one.reason)),
    ),
    redirectToSite(exchange.redirectURL),
    valueDetails(exchange, isSelected),
  );
}

/**
 * Creates the sequence of requests between browser, site and provider.
 * @param {readonly OpenedExchange[]} exchanges
 * @param {SequenceOptions} options
 */
export function sequence(exchanges, options) {
  const items = exchanges.map((exchange) => exchangeItem(exchange, options));
  const lanes = ['Browser', 'Site', 'Provider'].map((name) => h('span', {}, name));
  return h(
    'div',
    { class: 'sequence' },
    h('div', { class: 'lanes', 'aria-hidden': 'true' }, lanes),
    h('ol', { class: 'exchanges' }, items),
  );
}
