import { badge, button, byID, fill, h } from './dom.js';
import { callControl } from './provider.js';
import { relativeTime } from './time.js';

/**
 * @import { GrantState, RateWindow } from '../../control/grant-state.js'
 * @import { InspectorView } from '../view.js'
 */

const TONES = { issued: 'wait', used: 'good', valid: 'good', expired: 'wait', revoked: 'bad' };

/** @type {Pick<InspectorView, 'grants' | 'rates'>} */
let latest = { grants: [], rates: [] };

/**
 * @param {string} name
 * @param {GrantState['code'] | GrantState['refreshToken']} credential
 * @param {number | undefined} revokedAt
 */
function credentialRow(name, credential, revokedAt) {
  if (credential === undefined) return undefined;
  const { state, endsAt } = credential;
  const isRevoked = state === 'revoked' && revokedAt !== undefined;
  const isActive = state === 'valid' || state === 'issued';
  const when = isRevoked ? relativeTime(revokedAt) : isActive ? `ends ${relativeTime(endsAt)}` : relativeTime(endsAt);
  return h(
    'div',
    {},
    h('dt', {}, name),
    h('dd', {}, badge(TONES[state], state), ' ', state !== 'used' && h('span', { class: 'soft' }, when)),
  );
}

/** @param {GrantState} grant */
function grantItem({ number, login, clientID, username, scope, code, pair, accessToken, refreshToken, revokedAt }) {
  const hasEnded =
    revokedAt !== undefined ||
    [code, accessToken, refreshToken].every((one) => !one || one.state === 'expired' || one.state === 'used');
  const serial = pair > 1 ? ` ${pair}` : '';
  const revoke = () => callControl('revokeGrants', { grant: number });
  return h(
    'li',
    {},
    h(
      'p',
      { class: 'line' },
      h('strong', {}, `Grant ${number}`),
      login !== undefined && h('span', { class: 'soft' }, ` of login ${login}`),
    ),
    h('p', { class: 'soft' }, h('bdi', {}, username), ' at ', h('bdi', {}, clientID), ': ', scope.join(' ')),
    h(
      'dl',
      {},
      credentialRow('Code', code, revokedAt),
      credentialRow(`Access token${serial}`, accessToken, revokedAt),
      credentialRow(`Refresh token${serial}`, refreshToken, revokedAt),
    ),
    !hasEnded && button('Revoke', `revoke ${number}`, revoke, `Revoke grant ${number}`),
  );
}

/** @param {RateWindow} window */
function rateItem({ username, clientID, limit, remaining, reset }) {
  return h(
    'li',
    {},
    h('span', {}, h('bdi', {}, username), ' at ', h('bdi', {}, clientID)),
    h('meter', {
      min: 0,
      max: limit,
      low: limit / 10,
      value: remaining,
      'aria-label': `Requests left for ${username}`,
    }),
    h('span', { class: 'soft' }, `${remaining} of ${limit} left, resets ${relativeTime(reset * 1000)}`),
  );
}

/** @param {InspectorView} state */
export function showGrants({ grants, rates }) {
  latest = { grants, rates };
  updateTimes();
}

/** Builds the lists again when one of the relative times in them has another text. */
export function updateTimes() {
  const { grants, rates } = latest;
  const grantTimes = grants
    .flatMap(({ code, accessToken, refreshToken, revokedAt }) => [
      code.endsAt,
      accessToken?.endsAt,
      refreshToken?.endsAt,
      revokedAt,
    ])
    .map((time) => time !== undefined && relativeTime(time));
  fill(byID('grants'), [grants, grantTimes], () =>
    grants.length === 0
      ? h('p', { class: 'soft' }, 'None yet.')
      : h(
          'ul',
          { class: 'grants scroll', 'data-scroll': '', tabindex: '0', 'aria-label': 'Grants' },
          grants.map(grantItem),
        ),
  );
  byID('rates-card').hidden = rates.length === 0;
  const rateTimes = rates.map(({ reset }) => relativeTime(reset * 1000));
  fill(byID('rates'), [rates, rateTimes], () => h('ul', { class: 'rates' }, rates.map(rateItem)));
}
