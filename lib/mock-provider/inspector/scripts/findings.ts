/** What the linter found in the client under test. */
export const FINDINGS_SCRIPT = `
import { badge, byID, fill, h } from './dom.js';

export function showFindings({ findings, logins }) {
  byID('findings-card').hidden = logins.length === 0;
  const besides = logins.some(({ steps }) => steps.some(({ problems }) => problems.length > 0));
  fill(byID('findings'), [findings, besides], () => findings.length === 0
    ? h('p', { class: 'soft' }, besides ? 'Nothing besides what was refused: that stands with its login.' : 'Nothing to say against your site so far.')
    : h('ul', { class: 'findings scroll', 'data-scroll': '', tabindex: '0', 'aria-label': 'Findings' }, findings.map(({ rule, severity, message, source }) =>
      h('li', {},
        h('p', {}, badge(severity === 'error' ? 'bad' : 'wait', severity), ' ', h('code', {}, rule)),
        h('p', {}, message), h('p', { class: 'soft' }, source)))));
}
`;
