import { badge, byID, fill, h } from './dom.js';

/** @import { InspectorView } from '../view.js' */

/** @param {InspectorView} state */
export function showFindings({ findings, hasLogins, hasRefusals }) {
  byID('findings-card').hidden = !hasLogins;
  fill(byID('findings'), [findings, hasRefusals], () =>
    findings.length === 0
      ? h(
          'p',
          { class: 'soft' },
          hasRefusals ? 'No findings, except the refused requests of the logins.' : 'No findings.',
        )
      : h(
          'ul',
          { class: 'findings scroll', 'data-scroll': '', tabindex: '0', 'aria-label': 'Findings' },
          findings.map(({ rule, severity, message, source }) =>
            h(
              'li',
              {},
              h('p', {}, badge(severity === 'error' ? 'bad' : 'wait', severity), ' ', h('code', {}, rule)),
              h('p', {}, message),
              h('p', { class: 'soft' }, source),
            ),
          ),
        ),
  );
}
