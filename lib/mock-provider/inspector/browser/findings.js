import { badge, byID, fill, h } from './dom.js';

/** @import { InspectorView } from '../view.js' */

/** @param {InspectorView} state */
export function showFindings({ findings, logins }) {
  byID('findings-card').hidden = logins.length === 0;
  const hasProblems = logins.some(({ exchanges }) => exchanges.some(({ problems }) => problems.length > 0));
  fill(byID('findings'), [findings, hasProblems], () =>
    findings.length === 0
      ? h(
          'p',
          { class: 'soft' },
          hasProblems ? 'No findings, except the refused requests of the logins.' : 'No findings.',
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
