import { badge, byID, fill, h } from './dom.js';
import { durationText, timeOfDay } from './time.js';

/**
 * @import { Problem } from '../../recording/problems.js'
 * @import { ExchangeView } from '../exchange-view.js'
 * @import { LoginStatus } from '../login-status.js'
 * @import { InspectorView, LoginView } from '../view.js'
 */

const SENDERS = { browser: 'Browser', site: 'Site' };

/** @param {string} text */
const withFullStop = (text) => text.replace(/\.?$/, '.');

/** @param {Problem} problem */
function problemBox({ reason, error, rule, source, fix }) {
  return h(
    'div',
    { class: 'problem' },
    h('p', { class: 'reason' }, withFullStop(reason)),
    fix && h('p', { class: 'fix' }, h('strong', {}, 'Fix: '), fix),
    h('p', { class: 'rule' }, h('code', {}, error), ' ', source, ' \u00b7 ', rule),
  );
}

/** @param {ExchangeView} exchange */
function parameterList({ parameters, number }) {
  if (parameters.length === 0) return undefined;
  const count = parameters.length === 1 ? '1 parameter' : `${parameters.length} parameters`;
  return h(
    'details',
    { class: 'parameters', 'data-key': `parameters ${number}` },
    h('summary', { 'data-key': `summary ${number}` }, count),
    h(
      'dl',
      {},
      parameters.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value === '' ? '(empty)' : value))),
    ),
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

/**
 * @param {ExchangeView} exchange
 * @param {number} startedAt
 * @param {boolean} inFull whether problems are explained
 */
function exchangeItem(exchange, startedAt, inFull) {
  const { sender, purpose, method, path, status, response, tone, fault, problems, at } = exchange;
  const elapsedMs = at - startedAt;
  return h(
    'li',
    { class: `exchange from-${sender} ${tone}` },
    h('span', { class: 'at', title: timeOfDay(at) }, elapsedMs < 1000 ? '' : `+${durationText(elapsedMs)}`),
    h(
      'div',
      { class: 'request' },
      h('span', { class: 'direction' }, `${SENDERS[sender]} to provider: `),
      h('span', { class: 'purpose' }, purpose),
      h('code', {}, `${method} ${path}`),
      parameterList(exchange),
    ),
    h(
      'div',
      { class: 'response' },
      h('span', { class: 'direction' }, 'Response: '),
      badge(tone, String(status)),
      h('span', { class: 'response-text' }, response),
    ),
    fault && h('p', { class: 'fault-note' }, h('strong', {}, `Fault: ${fault.name}`), ' ', fault.description),
    problems.map((one) => (inFull ? problemBox(one) : h('p', { class: 'problem' }, withFullStop(one.reason)))),
    redirectToSite(exchange.redirectURL),
  );
}

/**
 * @param {readonly ExchangeView[]} exchanges
 * @param {number} startedAt
 * @param {boolean} inFull
 */
function sequence(exchanges, startedAt, inFull) {
  const items = exchanges.map((exchange) => exchangeItem(exchange, startedAt, inFull));
  const lanes = ['Browser', 'Site', 'Provider'].map((name) => h('span', {}, name));
  return h(
    'div',
    { class: 'sequence' },
    h('div', { class: 'lanes', 'aria-hidden': 'true' }, lanes),
    h('ol', { class: 'exchanges' }, items),
  );
}

/**
 * @param {LoginStatus} status
 * @param {readonly ExchangeView[]} exchanges
 */
function statusBoxes({ tone, text }, exchanges) {
  const problems = exchanges.flatMap((exchange) => exchange.problems).reverse();
  const byReason = new Map(problems.map((problem) => [problem.reason, problem]));
  return [
    text.length > 0 &&
      h(
        'div',
        { class: `status ${tone}` },
        text.map((line) => h('p', {}, line)),
      ),
    [...byReason.values()].slice(0, 3).map((problem) => h('div', { class: 'status bad' }, problemBox(problem))),
  ];
}

/** @param {LoginView} login */
function findingsBox({ findings }) {
  if (findings.length === 0) return undefined;
  return h(
    'div',
    { class: 'advice' },
    h('p', {}, 'What to change at the site'),
    h(
      'ul',
      {},
      findings.map(({ message, source }) => h('li', {}, message, ' ', h('span', { class: 'soft' }, source))),
    ),
  );
}

/** @param {LoginView} login */
function loginHeading({ login, clinician, clientID, flow }) {
  return h(
    'h3',
    {},
    `Login ${login}`,
    h(
      'span',
      { class: 'parties' },
      clinician ? h('bdi', {}, clinician) : 'unknown user',
      ' at ',
      h('bdi', {}, clientID ?? 'an unknown client'),
      flow && ` (${flow})`,
    ),
  );
}

/**
 * @param {LoginView} view
 * @param {boolean} isNewest
 */
function loginCard(view, isNewest) {
  const { login, exchanges, status, startedAt, omitted } = view;
  const count = exchanges.length + omitted;
  return h(
    'article',
    { class: `login ${status.tone}`, 'aria-labelledby': `login-${login}` },
    h(
      'div',
      { class: 'title', id: `login-${login}` },
      loginHeading(view),
      h('time', {}, timeOfDay(startedAt)),
      badge(status.tone, status.title),
    ),
    statusBoxes(status, exchanges),
    findingsBox(view),
    h(
      'details',
      { class: 'requests', 'data-key': `login ${login}`, open: isNewest || status.tone !== 'good' },
      h('summary', { 'data-key': `requests ${login}` }, count === 1 ? '1 request' : `${count} requests`),
      omitted > 0 && h('p', { class: 'soft' }, `${omitted} earlier requests are not shown.`),
      sequence(exchanges, startedAt, false),
    ),
  );
}

/** @type {Map<number, HTMLElement>} */
const slots = new Map();

/**
 * Shows the list of logins. Each login retains its element in the page, which is filled again only when the login has changed.
 * @param {readonly LoginView[]} logins
 */
function showList(logins) {
  const list = byID('login-list');
  const currentSlots = logins.map((view, index) => {
    const slot = slots.get(view.login) ?? h('div', { class: 'slot' });
    slots.set(view.login, slot);
    fill(slot, [view, index === 0], () => loginCard(view, index === 0));
    return slot;
  });
  for (const [login, slot] of slots) {
    if (currentSlots.includes(slot)) continue;
    slot.remove();
    slots.delete(login);
  }
  for (const [index, slot] of currentSlots.entries()) {
    if (list.children[index] !== slot) list.insertBefore(slot, list.children[index] ?? null);
  }
  while (list.children.length > currentSlots.length) list.lastChild?.remove();
}

/** @param {string} issuer */
function emptyState(issuer) {
  return h(
    'div',
    { class: 'empty' },
    h('p', { class: 'lead' }, 'No login yet.'),
    h(
      'p',
      {},
      'Start one at your site: each of its requests appears here. If none appears, check your site: its issuer must be ',
      h('code', {}, issuer),
      '.',
    ),
    h('p', {}, 'Copy a configuration from the list of clients.'),
  );
}

/** @type {string | undefined} */
let announced;

/**
 * Announces a change of the newest login to a screen reader, but not the state that the page starts with.
 * @param {readonly LoginView[]} logins
 */
function announce([newest]) {
  const text = newest ? `Login ${newest.login}: ${newest.status.title}` : '';
  if (announced !== undefined && text && text !== announced) byID('announcement').textContent = text;
  announced = text;
}

/** @param {readonly ExchangeView[]} exchanges */
function otherRequestsBox(exchanges) {
  if (exchanges.length === 0) return undefined;
  return h(
    'details',
    { class: 'requests', 'data-key': 'other requests', open: exchanges.some(({ tone }) => tone !== 'good') },
    h('summary', { 'data-key': 'other requests summary' }, `Requests without a login: ${exchanges.length}`),
    sequence(exchanges, Number.POSITIVE_INFINITY, true),
  );
}

/** @param {InspectorView} state */
export function showLogins({ logins, otherRequests, issuer }) {
  const list = byID('login-list');
  if (logins.length === 0) {
    slots.clear();
    fill(list, ['empty', issuer], () => emptyState(issuer));
  } else {
    fill(list, ['logins'], () => []);
    showList(logins);
  }
  announce(logins);
  byID('other-requests').hidden = otherRequests.length === 0;
  fill(byID('other-request-list'), otherRequests, () => otherRequestsBox(otherRequests));
}
