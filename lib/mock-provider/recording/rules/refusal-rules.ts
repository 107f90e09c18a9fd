import type { RuleID } from '../../protocol/rules.js';
import { groupBy } from '../group-by.js';
import type { RecordedExchange } from '../observation.js';
import type { ReportRule, Violation } from './rule.js';

/** Refusals that a correct client gets too, such as a failed silent login, a denial or an expired token. */
const EXPECTED_REFUSALS = [
  'prompt-none-without-ui',
  'user-approval-required',
  'form-token-single-use',
  'interaction-in-one-browser',
  'refresh-token-required',
  'refresh-token-valid',
  'access-token-required',
  'access-token-valid',
  'userinfo-needs-openid',
  'rate-limit-not-exceeded',
  'blacklisted-client-no-response',
] as const;

/** Refusals that another rule of the report covers: a client whose response was lost may retry. */
const COVERED_REFUSALS = ['code-single-use', 'refresh-token-single-use'] as const;

const IGNORED_REFUSALS: ReadonlySet<RuleID> = new Set<RuleID>([...EXPECTED_REFUSALS, ...COVERED_REFUSALS]);

/** The rules for requests that the provider refuses. */
export const REFUSAL_RULES: readonly ReportRule[] = [
  {
    id: 'request-refused',
    severity: 'error',
    requirement: 'The provider refuses no request because of a mistake of the client.',
    fix: 'Change the request as the finding says.',
    source: 'RFC 6749 section 5.2',
    check: ({ exchanges }) => (exchanges.length === 0 ? undefined : findRefusals(exchanges)),
  },
];

/** @returns a violation for each reason at a path. */
function findRefusals(exchanges: readonly RecordedExchange[]): readonly Violation[] {
  const refused = groupBy(exchanges, ({ refusal, record, observation }) => {
    if (refusal === undefined || record.fault || observation.isOfBrowser) return undefined;
    return IGNORED_REFUSALS.has(refusal.rule) ? undefined : `${record.path} refused: ${refusal.reason}`;
  });
  return [...refused].map(([what, group]) => {
    const { source, fix } = group[0]?.refusal ?? {};
    return { what, exchanges: group, ...(source !== undefined && { source }), ...(fix !== undefined && { fix }) };
  });
}
