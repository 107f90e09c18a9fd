/** Codes and tokens with their states, and what is left of the rate limits. */
export const HOLDINGS_SCRIPT = `
import { badge, byID, fill, h } from './dom.js';
import { press } from './provider.js';
import { fromNow } from './time.js';

const TONES = { issued: 'wait', used: 'good', valid: 'good', expired: 'wait', revoked: 'bad' };

function state(name, { state: how, endsAt }, revokedAt) {
  const when = how === 'valid' || how === 'issued' ? 'ends ' + fromNow(endsAt) : how === 'expired' ? fromNow(endsAt) : how === 'revoked' ? fromNow(revokedAt) : '';
  return h('div', {}, h('dt', {}, name), h('dd', {}, badge(TONES[how] ?? 'wait', how), ' ', h('span', { class: 'soft', 'data-from': when ? String(how === 'revoked' ? revokedAt : endsAt) : undefined }, when)));
}

function grant({ number, login, clientID, username, scope, code, pair, accessToken, refreshToken, revokedAt }) {
  const isOver = revokedAt !== undefined || [code, accessToken, refreshToken].filter(Boolean).every(({ state: how }) => how === 'expired' || how === 'used');
  return h('li', {},
    h('p', { class: 'line' }, h('strong', {}, 'Grant ' + number), login !== undefined && h('span', { class: 'soft' }, ' of login ' + login)),
    h('p', { class: 'soft' }, h('bdi', {}, username), ' at ', h('bdi', {}, clientID), ': ', scope.join(' ')),
    h('dl', {},
      state('Code', code, revokedAt),
      accessToken && state('Access token' + (pair > 1 ? ' ' + pair : ''), accessToken, revokedAt),
      refreshToken && state('Refresh token' + (pair > 1 ? ' ' + pair : ''), refreshToken, revokedAt)),
    !isOver && h('button', { type: 'button', class: 'quiet', 'data-key': 'revoke ' + number, 'aria-label': 'Revoke grant ' + number,
      onclick: () => press('revokeGrant', { grant: number }) }, 'Revoke'));
}

let latest = { grants: [], rates: [] };

export function showHoldings(shown) {
  latest = { grants: shown.grants, rates: shown.rates };
  draw();
}

/** How long something still lasts changes by itself: drawn again when its words do. */
export function draw() {
  const { grants, rates } = latest;
  const words = grants.map(({ code, accessToken, refreshToken, revokedAt }) =>
    [code.endsAt, accessToken?.endsAt, refreshToken?.endsAt, revokedAt].map((time) => time === undefined ? '' : fromNow(time)));
  fill(byID('grants'), [grants, words], () => grants.length === 0
    ? h('p', { class: 'soft' }, 'None yet.')
    : h('ul', { class: 'grants scroll', 'data-scroll': '', tabindex: '0', 'aria-label': 'Grants' }, grants.map(grant)));
  byID('rates-card').hidden = rates.length === 0;
  fill(byID('rates'), [rates, rates.map(({ reset }) => fromNow(reset * 1000))], () => h('ul', { class: 'rates' }, rates.map(({ username, clientID, limit, remaining, reset }) =>
    h('li', {},
      h('span', {}, h('bdi', {}, username), ' at ', h('bdi', {}, clientID)),
      h('meter', { min: 0, max: limit, low: limit / 10, value: remaining, 'aria-label': 'Requests left for ' + username }),
      h('span', { class: 'soft' }, remaining + ' of ' + limit + ' left, anew ' + fromNow(reset * 1000))))));
}
`;
