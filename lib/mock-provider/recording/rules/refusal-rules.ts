import type { RuleID } from '../../protocol/rules.js';
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
  'userinfo-token-required',
  'userinfo-token-valid',
  'userinfo-needs-openid',
  'api-token-required',
  'api-token-valid',
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

function findRefusals(exchanges: readonly RecordedExchange[]): readonly Violation[] {
  const found = new Map<string, Violation & { exchanges: RecordedExchange[] }>();
  for (const exchange of exchanges) {
    const { refusal, record, observation } = exchange;
    if (refusal === undefined || record.fault) continue;
    if (IGNORED_REFUSALS.has(refusal.rule) || observation.isOfBrowser) continue;
    const what = `${record.path} refused: ${refusal.reason}`;
    const { source, fix } = refusal;
    const known = found.get(what);
    if (known) known.exchanges.push(exchange);
    else found.set(what, { what, exchanges: [exchange], source, ...(fix !== undefined && { fix }) });
  }
  return [...found.values()];
}
