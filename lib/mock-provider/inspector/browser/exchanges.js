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
  return values.flatMap((value, index) => [index > 0 && ', ', h('code', value)]);
}

/** @param {Problem} problem */
export function problemBox({ reason, error, rule, source, fix, sent, registered }) {
  return h(
    'div.problem',
    h('p.reason', withFullStop(reason)),
    registered && [h('p', 'Sent: ', h('code', sent ?? '')), h('p', 'Registered: ', codes(registered))],
    fix && h('p.fix', h('strong', 'Fix: '), fix),
    h('p.rule', h('code', error), ' ', source, ' \u00b7 ', rule),
  );
}

/** @param {string} url */
function redirectToSite(url) {
  const [page = ''] = url.split(/[?#]/);
  const address = h('code', { title: url }, page.replace(/^https?:\/\//, ''));
  return h('div.redirect', h('span.direction', 'Browser to site: '), address);
}

/** How the exchanges of a login are shown. */
/** @typedef {{ startedAt: number | undefined, explainsProblems: boolean, selected: string }} SequenceOptions */

/**
 * @param {OpenedExchange} exchange
 * @param {SequenceOptions} options
 */
function exchangeItem(exchange, { startedAt = Number.POSITIVE_INFINITY, explainsProblems, selected }) {
  const { number, sender, purpose, method, path, status, response, tone, fault, problems, at, redirectURL } = exchange;
  const elapsedMs = at - startedAt;
  const id = `request-${number}`;
  const isSelected = id === selected;
  return h(
    `li.exchange.from-${sender}.${tone}${isSelected ? '.selected' : ''}`,
    { id, 'data-key': id, tabindex: -1 },
    h(
      'a.at',
      { href: `#${id}`, title: timeOfDay(at), 'aria-label': `Link to request ${number}` },
      `#${number}`,
      elapsedMs >= 1000 && h('span', ` +${durationText(elapsedMs)}`),
    ),
    h(
      'div.request',
      h('span.direction', `${SENDERS[sender]} to provider: `),
      h('span.purpose', purpose),
      h('code', `${method} ${path}`),
    ),
    h(
      'div.response',
      h('span.direction', 'Response: '),
      badge(tone, String(status)),
      h('span.response-text', response),
    ),
    fault && h('p.fault-note', h('strong', `Fault: ${fault.name}`), ' ', fault.description),
    problems.map((one) => (explainsProblems ? problemBox(one) : h('p.problem', withFullStop(one.reason)))),
    redirectURL && redirectToSite(redirectURL),
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
  const lanes = ['Browser', 'Site', 'Provider'].map((name) => h('span', name));
  return h('div.sequence', h('div.lanes', { 'aria-hidden': 'true' }, lanes), h('ol.exchanges', items));
}
