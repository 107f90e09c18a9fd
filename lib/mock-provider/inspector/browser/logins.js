import { badge, byID, fill, h } from './dom.js';
import { problemBox, sequence } from './exchanges.js';
import { selectedEntry } from './provider.js';
import { timeOfDay } from './time.js';
import { revealedKeys } from './values.js';

/**
 * @import { Child } from './dom.js'
 * @import { LoginStatus } from '../login-status.js'
 * @import { LoginSummary, OpenedExchange, OpenedView } from '../login-views.js'
 * @import { InspectorView } from '../view.js'
 */

/** @param {Pick<LoginSummary, 'clinician' | 'clientID' | 'flow'>} login */
function parties({ clinician, clientID, flow }) {
  const user = clinician ? h('bdi', clinician) : 'unknown user';
  return h('span.parties', user, ' at ', h('bdi', clientID ?? 'an unknown client'), flow && ` (${flow})`);
}

/**
 * @param {LoginStatus} status
 * @param {readonly OpenedExchange[]} exchanges
 */
function statusBoxes({ tone, text }, exchanges) {
  const lines = text.map((line) => h('p', line));
  const problems = exchanges.flatMap((exchange) => exchange.problems).reverse();
  const byReason = new Map(problems.map((problem) => [problem.reason, problem]));
  return [
    lines.length > 0 && h(`div.status.${tone}`, lines),
    [...byReason.values()].slice(0, 3).map((problem) => h('div.status.bad', problemBox(problem))),
  ];
}

/** @param {OpenedView} opened */
function findingsBox({ findings }) {
  if (findings.length === 0) return undefined;
  const items = findings.map(({ message, source }) => h('li', message, ' ', h('span.soft', source)));
  return h('div.advice', h('p', 'What to change at the site'), h('ul', items));
}

/**
 * @param {OpenedView} opened
 * @param {string} selected
 */
function detail(opened, selected) {
  const { login, exchanges, omitted } = opened;
  const id = login ? `login-${login.login}` : 'other-requests';
  const tone = login?.status.tone ?? (exchanges.some((one) => one.tone === 'bad') ? 'bad' : 'plain');
  const title = login ? `Login ${login.login}` : 'Requests outside a login';
  const link = h('a', { href: `#${id}`, 'data-key': 'opened', title: 'Link to this page' }, title);
  return h(
    `article.card.login.${tone}`,
    { id, 'data-key': id, tabindex: -1, 'aria-labelledby': 'opened-title' },
    h(
      'div.title',
      h('h3', { id: 'opened-title' }, link, ' ', login && parties(login)),
      login && h('time', timeOfDay(login.startedAt)),
      login && badge(tone, login.status.title),
    ),
    login && statusBoxes(login.status, exchanges),
    login && findingsBox(opened),
    omitted > 0 && h('p.soft.omitted', `${omitted} other requests are not shown.`),
    sequence(exchanges, { startedAt: login?.startedAt, explainsProblems: !login, selected }),
  );
}

/**
 * Creates a link of the list.
 * @param {string} href
 * @param {string} key
 * @param {boolean} isOpen
 * @param {...Child} children
 */
function row(href, key, isOpen, ...children) {
  return h('a.row', { href, 'data-key': key, 'aria-current': isOpen && 'true' }, ...children);
}

/** @param {InspectorView} state */
function list({ logins, otherRequests, opened }) {
  const rows = logins.map((login) => {
    const { login: number, status, startedAt } = login;
    const parts = [h('span.soft', number), parties(login), h('time', timeOfDay(startedAt))];
    const isOpen = number === opened?.login?.login;
    return row(`#login-${number}`, `row ${number}`, isOpen, parts, badge(status.tone, status.title));
  });
  const others = `${otherRequests} ${otherRequests === 1 ? 'request' : 'requests'} outside a login`;
  const isOpen = opened !== undefined && !opened.login;
  if (otherRequests > 0) rows.push(row('#other-requests', 'row others', isOpen, others));
  const items = rows.map((link) => h('li', link));
  const isFixed = /^(login|request)-|^other-requests$/.test(selectedEntry());
  return [
    h('ol.list', { 'data-scroll': '', tabindex: 0, 'aria-label': 'Logins, the newest first' }, items),
    isFixed && row('#logins', 'newest', false, 'Show each new login'),
  ];
}

/** @param {InspectorView} state */
function emptyState({ issuer }) {
  const advice =
    'Start one at your site: each of its requests appears here. If none appears, check your site: its issuer must be ';
  return h('section.card.empty', h('p.lead', 'No login yet.'), h('p', advice, h('code', issuer), '.'));
}

/** @type {string | undefined} */
let announced;

/**
 * Announces a change of the newest login to a screen reader, but not the state that the page starts with.
 * @param {readonly LoginSummary[]} logins
 */
function announce([newest]) {
  const text = newest ? `Login ${newest.login}: ${newest.status.title}` : '';
  if (announced !== undefined && text && text !== announced) byID('announcement').textContent = text;
  announced = text;
}

/** The fragment that was scrolled to. */
let visited = '';

/**
 * Scrolls to what the fragment names: it is not in the page when the browser looks for it.
 * @param {string} selected
 */
function visit(selected) {
  if (selected === visited) return;
  const isFirst = visited === '';
  visited = selected;
  const element = document.getElementById(selected);
  if (!element || !byID('detail').contains(element)) return;
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > innerHeight / 2) element.scrollIntoView();
  if (isFirst && document.activeElement === document.body) element.focus({ preventScroll: true });
}

/**
 * @param {InspectorView} state
 * @param {string} selected
 */
function openedParts(state, selected) {
  const { logins, opened } = state;
  const isMissing = !opened && /^(login|request)-/.test(selected);
  const missing = `Nothing is recorded for #${selected}: it may be of an earlier start, or Reset deleted it.`;
  return [
    logins.length === 0 && emptyState(state),
    opened && detail(opened, selected),
    isMissing && h('p.card', missing),
  ];
}

/** @param {InspectorView} state */
export function showLogins(state) {
  const { logins, opened, issuer, otherRequests } = state;
  const selected = selectedEntry();
  byID('list-card').hidden = logins.length === 0;
  fill(byID('login-list'), [logins, otherRequests, opened?.login, selected], () => list(state));
  fill(byID('detail'), [opened, logins.length === 0 && issuer, selected, revealedKeys()], () =>
    openedParts(state, selected),
  );
  announce(logins);
  visit(selected);
}
