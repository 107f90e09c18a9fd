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
    fix && h('p', { class: 'fix' }, h('strong', {}, 'Do this: '), fix),
    h('p', { class: 'rule' }, h('code', {}, error), ' ', source, ' \u00b7 ', rule),
  );
}

/** @param {ExchangeView} exchange */
function parameters({ sent, number }) {
  if (sent.length === 0) return undefined;
  const count = sent.length === 1 ? '1 parameter' : `${sent.length} parameters`;
  return h(
    'details',
    { class: 'sent', 'data-key': `sent ${number}` },
    h('summary', { 'data-key': `summary ${number}` }, count),
    h(
      'dl',
      {},
      sent.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value === '' ? '(empty)' : value))),
    ),
  );
}

/** @param {string | undefined} address */
function redirectToSite(address) {
  if (!address) return undefined;
  const [page = ''] = address.split(/[?#]/);
  return h(
    'div',
    { class: 'then' },
    h('span', { class: 'way' }, 'Browser to site: '),
    h('code', { title: address }, page.replace(/^https?:\/\//, '')),
  );
}

/**
 * @param {ExchangeView} exchange
 * @param {number} startedAt
 * @param {boolean} inFull whether problems are explained
 */
function exchangeItem(exchange, startedAt, inFull) {
  const { from, what, method, path, status, answer, tone, fault, problems, at } = exchange;
  const elapsedMs = at - startedAt;
  return h(
    'li',
    { class: `step from-${from} ${tone}` },
    h('span', { class: 'at', title: timeOfDay(at) }, elapsedMs < 1000 ? '' : `+${durationText(elapsedMs)}`),
    h(
      'div',
      { class: 'ask' },
      h('span', { class: 'way' }, `${SENDERS[from]} to provider: `),
      h('span', { class: 'what' }, what),
      h('code', {}, `${method} ${path}`),
      parameters(exchange),
    ),
    h(
      'div',
      { class: 'reply' },
      h('span', { class: 'way' }, 'Answer: '),
      badge(tone, String(status)),
      h('span', { class: 'said' }, answer),
    ),
    fault && h('p', { class: 'struck' }, h('strong', {}, `Fault: ${fault.name}`), ' ', fault.description),
    problems.map((one) => (inFull ? problemBox(one) : h('p', { class: 'problem' }, withFullStop(one.reason)))),
    redirectToSite(exchange.leadsTo),
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
    h('ol', { class: 'steps' }, items),
  );
}

/**
 * @param {LoginStatus} status
 * @param {readonly ExchangeView[]} exchanges
 */
function statusBoxes({ tone, title, text }, exchanges) {
  const problems = exchanges.flatMap((exchange) => exchange.problems).reverse();
  const isExplained = title === 'Refused' && problems.length > 0;
  const byReason = new Map(problems.map((problem) => [problem.reason, problem]));
  return [
    !isExplained &&
      text.length > 0 &&
      h(
        'div',
        { class: `verdict ${tone}` },
        text.map((line) => h('p', {}, line)),
      ),
    [...byReason.values()].slice(0, 3).map((problem) => h('div', { class: 'verdict bad' }, problemBox(problem))),
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
      { class: 'who' },
      clinician ? h('bdi', {}, clinician) : 'nobody yet',
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
  const { login, steps, verdict, startedAt, more } = view;
  const count = steps.length + more;
  return h(
    'article',
    { class: `login ${verdict.tone}`, 'aria-labelledby': `login-${login}` },
    h(
      'div',
      { class: 'title', id: `login-${login}` },
      loginHeading(view),
      h('time', {}, timeOfDay(startedAt)),
      badge(verdict.tone, verdict.title),
    ),
    statusBoxes(verdict, steps),
    findingsBox(view),
    h(
      'details',
      { class: 'requests', 'data-key': `login ${login}`, open: isNewest || verdict.tone !== 'good' },
      h('summary', { 'data-key': `requests ${login}` }, count === 1 ? '1 request' : `${count} requests`),
      more > 0 && h('p', { class: 'soft' }, `${more} earlier ones are not shown.`),
      sequence(steps, startedAt, false),
    ),
  );
}

/** @type {Map<number, HTMLElement>} */
const slots = new Map();

/**
 * Each login keeps its element in the page, which is filled again only when the login has changed.
 * @param {readonly LoginView[]} logins
 */
function showList(logins) {
  const list = byID('login-list');
  const wanted = logins.map((view, index) => {
    const slot = slots.get(view.login) ?? h('div', { class: 'slot' });
    slots.set(view.login, slot);
    fill(slot, [view, index === 0], () => loginCard(view, index === 0));
    return slot;
  });
  for (const [login, slot] of slots) {
    if (wanted.includes(slot)) continue;
    slot.remove();
    slots.delete(login);
  }
  for (const [index, slot] of wanted.entries()) {
    if (list.children[index] !== slot) list.insertBefore(slot, list.children[index] ?? null);
  }
  while (list.children.length > wanted.length) list.lastChild?.remove();
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
      'Start one at your site, and each of its requests appears here. If nothing does, your site asks somebody else: its issuer must be ',
      h('code', {}, issuer),
      '.',
    ),
    h('p', {}, 'A configuration to copy stands with the clients.'),
  );
}

/** @type {string | undefined} */
let announced;

/**
 * Announces a change of the newest login to a screen reader, but not the state that the page starts with.
 * @param {readonly LoginView[]} logins
 */
function announce([newest]) {
  const text = newest ? `Login ${newest.login}: ${newest.verdict.title}` : '';
  if (announced !== undefined && text && text !== announced) byID('news').textContent = text;
  announced = text;
}

/** @param {readonly ExchangeView[]} others */
function otherRequests(others) {
  if (others.length === 0) return undefined;
  return h(
    'details',
    { class: 'requests', 'data-key': 'others', open: others.some(({ tone }) => tone !== 'good') },
    h('summary', { 'data-key': 'others summary' }, `Discovery, keys, and what nobody could place: ${others.length}`),
    sequence(others, Number.POSITIVE_INFINITY, true),
  );
}

/** @param {InspectorView} state */
export function showLogins({ logins, others, issuer }) {
  const list = byID('login-list');
  if (logins.length === 0) {
    slots.clear();
    fill(list, ['empty', issuer], () => emptyState(issuer));
  } else {
    fill(list, ['logins'], () => []);
    showList(logins);
  }
  announce(logins);
  byID('others').hidden = others.length === 0;
  fill(byID('other-list'), others, () => otherRequests(others));
}
