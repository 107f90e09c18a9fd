import { badge, byID, fill, h } from './dom.js';
import { problemBox, sequence } from './exchanges.js';
import { selectedEntry } from './provider.js';
import { timeOfDay } from './time.js';
import { revealedKeys } from './values.js';

/**
 * @import { LoginStatus } from '../login-status.js'
 * @import { LoginSummary, OpenedExchange, OpenedView } from '../login-views.js'
 * @import { InspectorView } from '../view.js'
 */

/** @param {Pick<LoginSummary, 'clinician' | 'clientID' | 'flow'>} login */
function parties({ clinician, clientID, flow }) {
  return h(
    'span',
    { class: 'parties' },
    clinician ? h('bdi', {}, clinician) : 'unknown user',
    ' at ',
    h('bdi', {}, clientID ?? 'an unknown client'),
    flow && ` (${flow})`,
  );
}

/**
 * @param {LoginStatus} status
 * @param {readonly OpenedExchange[]} exchanges
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

/** @param {OpenedView} opened */
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

/**
 * @param {OpenedView} opened
 * @param {string} selected
 */
function detail(opened, selected) {
  const { login, exchanges, omitted } = opened;
  const id = login ? `login-${login.login}` : 'other-requests';
  const tone = login?.status.tone ?? (exchanges.some((one) => one.tone === 'bad') ? 'bad' : 'plain');
  const title = login ? `Login ${login.login}` : 'Requests outside a login';
  return h(
    'article',
    { class: `card login ${tone}`, id, 'data-key': id, tabindex: -1, 'aria-labelledby': 'opened-title' },
    h(
      'div',
      { class: 'title' },
      h(
        'h3',
        { id: 'opened-title' },
        h('a', { href: `#${id}`, 'data-key': 'opened', title: 'Link to this page' }, title),
        ' ',
        login && parties(login),
      ),
      login && h('time', {}, timeOfDay(login.startedAt)),
      login && badge(tone, login.status.title),
    ),
    login && statusBoxes(login.status, exchanges),
    login && findingsBox(opened),
    omitted > 0 && h('p', { class: 'soft omitted' }, `${omitted} other requests are not shown.`),
    sequence(exchanges, { startedAt: login?.startedAt, explainsProblems: !login, selected }),
  );
}

/**
 * @param {LoginSummary} login
 * @param {boolean} isOpen
 */
function row(login, isOpen) {
  const { login: number, status, startedAt } = login;
  return h(
    'li',
    {},
    h(
      'a',
      { class: 'row', href: `#login-${number}`, 'data-key': `row ${number}`, 'aria-current': isOpen && 'true' },
      h('span', { class: 'soft' }, number),
      parties(login),
      h('time', {}, timeOfDay(startedAt)),
      badge(status.tone, status.title),
    ),
  );
}

/**
 * @param {InspectorView} state
 * @param {string} selected
 */
function list({ logins, otherRequests, opened }, selected) {
  const others = `${otherRequests} ${otherRequests === 1 ? 'request' : 'requests'} outside a login`;
  return [
    h(
      'ol',
      { class: 'list', 'data-scroll': '', tabindex: 0, 'aria-label': 'Logins, the newest first' },
      logins.map((login) => row(login, login.login === opened?.login?.login)),
      otherRequests > 0 &&
        h(
          'li',
          {},
          h(
            'a',
            {
              class: 'row',
              href: '#other-requests',
              'data-key': 'row others',
              'aria-current': opened !== undefined && !opened.login && 'true',
            },
            others,
          ),
        ),
    ),
    /^(login|request)-|^other-requests$/.test(selected) &&
      h('a', { class: 'row', href: '#logins', 'data-key': 'newest' }, 'Show each new login'),
  ];
}

/** @param {InspectorView} state */
function emptyState({ issuer }) {
  return h(
    'section',
    { class: 'card empty' },
    h('p', { class: 'lead' }, 'No login yet.'),
    h(
      'p',
      {},
      'Start one at your site: each of its requests appears here. If none appears, check your site: its issuer must be ',
      h('code', {}, issuer),
      '.',
    ),
  );
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
  return [
    logins.length === 0 && emptyState(state),
    opened && detail(opened, selected),
    isMissing &&
      h(
        'p',
        { class: 'card' },
        `Nothing is recorded for #${selected}: it may be of an earlier start, or Reset deleted it.`,
      ),
  ];
}

/** @param {InspectorView} state */
export function showLogins(state) {
  const { logins, opened, issuer, otherRequests } = state;
  const selected = selectedEntry();
  byID('list-card').hidden = logins.length === 0;
  fill(byID('login-list'), [logins, otherRequests, opened?.login, selected], () => list(state, selected));
  fill(byID('detail'), [opened, logins.length === 0 && issuer, selected, revealedKeys()], () =>
    openedParts(state, selected),
  );
  announce(logins);
  visit(selected);
}
