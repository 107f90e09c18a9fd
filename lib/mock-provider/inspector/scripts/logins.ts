/** The logins, each as a sequence of requests, with the reason where one was refused. */
export const LOGINS_SCRIPT = `
import { badge, byID, fill, h } from './dom.js';
import { span, timeOfDay } from './time.js';

const WHO = { browser: 'Browser', site: 'Site' };

const sentence = (text) => text.replace(/\\.?$/, '.');

function problem({ reason, error, rule, source, fix }) {
  return h('div', { class: 'problem' },
    h('p', { class: 'reason' }, sentence(reason)),
    fix && h('p', { class: 'fix' }, h('strong', {}, 'Do this: '), fix),
    h('p', { class: 'rule' }, h('code', {}, error), ' ', source, ' \\u00b7 ', rule));
}

function sent({ sent: pairs, number }) {
  if (pairs.length === 0) return undefined;
  return h('details', { class: 'sent', 'data-key': 'sent ' + number },
    h('summary', { 'data-key': 'summary ' + number }, pairs.length === 1 ? '1 parameter' : pairs.length + ' parameters'),
    h('dl', {}, pairs.map(([name, value]) => h('div', {}, h('dt', {}, name), h('dd', {}, value === '' ? '(empty)' : value)))));
}

function onTheWay(address) {
  if (!address) return undefined;
  return h('div', { class: 'then' }, h('span', { class: 'way' }, 'Browser to site: '),
    h('code', { title: address }, address.split(/[?#]/)[0].replace(/^https?:\\/\\//, '')));
}

function step(one, startedAt, inFull) {
  const { from, what, method, path, status, answer, tone, fault, problems, at } = one;
  return h('li', { class: 'step from-' + from + ' ' + tone },
    h('span', { class: 'at', title: timeOfDay(at) }, at - startedAt < 1000 ? '' : '+' + span(at - startedAt)),
    h('div', { class: 'ask' },
      h('span', { class: 'way' }, WHO[from] + ' to provider: '),
      h('span', { class: 'what' }, what), h('code', {}, method + ' ' + path), sent(one)),
    h('div', { class: 'reply' }, h('span', { class: 'way' }, 'Answer: '), badge(tone, String(status)), h('span', { class: 'said' }, answer)),
    fault && h('p', { class: 'struck' }, h('strong', {}, 'Fault: ' + fault.name), ' ', fault.description),
    problems.map((one) => inFull ? problem(one) : h('p', { class: 'problem' }, sentence(one.reason))),
    onTheWay(one.leadsTo));
}

function sequence(steps, startedAt, inFull) {
  return h('div', { class: 'sequence' },
    h('div', { class: 'lanes', 'aria-hidden': 'true' }, ['Browser', 'Site', 'Provider'].map((name) => h('span', {}, name))),
    h('ol', { class: 'steps' }, steps.map((one) => step(one, startedAt, inFull))));
}

const problemsOf = (steps) => steps.flatMap(({ problems }) => problems);

function verdict({ tone, title, text }, steps) {
  const problems = problemsOf(steps);
  const said = title === 'Refused' && problems.length > 0 ? [] : text.map((line) => h('p', {}, line));
  const reasons = [...new Map(problems.reverse().map((one) => [one.reason, one])).values()];
  return [
    said.length > 0 && h('div', { class: 'verdict ' + tone }, said),
    reasons.slice(0, 3).map((one) => h('div', { class: 'verdict bad' }, problem(one))),
  ];
}

/** What the linter says of a login that failed: what to change at the site. */
function advice({ findings }) {
  if (findings.length === 0) return undefined;
  return h('div', { class: 'advice' }, h('p', {}, 'What to change at the site'),
    h('ul', {}, findings.map(({ message, source }) => h('li', {}, message, ' ', h('span', { class: 'soft' }, source)))));
}

function heading({ login, clinician, clientID, flow }) {
  return h('h3', {}, 'Login ' + login, h('span', { class: 'who' },
    clinician ? h('bdi', {}, clinician) : 'nobody yet', ' at ', h('bdi', {}, clientID ?? 'an unknown client'), flow && ' (' + flow + ')'));
}

function card(one, newest) {
  const { login, steps, verdict: how, startedAt, more } = one;
  const count = steps.length + more;
  return h('article', { class: 'login ' + how.tone, 'aria-labelledby': 'login-' + login },
    h('div', { class: 'title', id: 'login-' + login }, heading(one), h('time', {}, timeOfDay(startedAt)), badge(how.tone, how.title)),
    verdict(how, steps), advice(one),
    h('details', { class: 'requests', 'data-key': 'login ' + login, open: newest || how.tone !== 'good' },
      h('summary', { 'data-key': 'requests ' + login }, count === 1 ? '1 request' : count + ' requests'),
      more > 0 && h('p', { class: 'soft' }, more + ' earlier ones are not shown.'),
      sequence(steps, startedAt)));
}

const cards = new Map();

/** Each login keeps its place in the page, and is drawn anew only when something came to it. */
function showList(logins) {
  const list = byID('login-list');
  if (logins.length === 0) return undefined;
  const wanted = logins.map((one, at) => {
    const place = cards.get(one.login) ?? h('div', { class: 'slot' });
    cards.set(one.login, place);
    fill(place, [one, at === 0], () => card(one, at === 0));
    return place;
  });
  for (const [login, place] of cards) {
    if (wanted.includes(place)) continue;
    place.remove();
    cards.delete(login);
  }
  wanted.forEach((place, at) => { if (list.children[at] !== place) list.insertBefore(place, list.children[at] ?? null); });
  while (list.children.length > wanted.length) list.lastChild.remove();
}

function nothingYet(issuer) {
  return h('div', { class: 'empty' },
    h('p', { class: 'lead' }, 'No login yet.'),
    h('p', {}, 'Start one at your site, and each of its requests appears here. If nothing does, your site asks somebody else: its issuer must be ', h('code', {}, issuer), '.'),
    h('p', {}, 'A configuration to copy stands with the clients.'));
}

let told;
function tell(logins) {
  const news = logins[0] && 'Login ' + logins[0].login + ': ' + logins[0].verdict.title;
  if (told !== undefined && news && news !== told) byID('news').textContent = news;
  told = news ?? '';
}

export function showLogins({ logins, others, issuer }) {
  const list = byID('login-list');
  if (logins.length === 0) {
    cards.clear();
    fill(list, ['nothing', issuer], () => nothingYet(issuer));
  } else {
    fill(list, ['logins'], () => []);
    showList(logins);
  }
  tell(logins);
  byID('others').hidden = others.length === 0;
  fill(byID('other-list'), others, () => others.length > 0 &&
    h('details', { class: 'requests', 'data-key': 'others', open: others.some(({ tone }) => tone !== 'good') },
      h('summary', { 'data-key': 'others summary' }, 'Discovery, keys, and what nobody could place: ' + others.length),
      sequence(others, Infinity, true)));
}
`;
