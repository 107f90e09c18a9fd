import type { RuleID } from '../../protocol/rules.js';
import type { RecordedExchange } from '../observation.js';
import type { Rule, Violation } from './rule.js';

/** Refusals that a good client meets: a silent login, a denial, what has expired; and those that a rule of its own is about. */
const LEFT_OUT: ReadonlySet<RuleID> = new Set<RuleID>([
  ...(['prompt-none-without-ui', 'user-approval-required', 'form-token-single-use'] as const),
  ...(['interaction-in-one-browser', 'refresh-token-required', 'refresh-token-valid'] as const),
  ...(['userinfo-token-required', 'userinfo-token-valid', 'userinfo-needs-openid'] as const),
  ...(['api-token-required', 'api-token-valid'] as const),
  ...(['rate-limit-not-exceeded', 'blacklisted-client-unanswered'] as const),
  ...(['parameter-sent-once', 'state-sent-once', 'scope-characters', 'scope-known', 'scope-allowed'] as const),
  ...(['pkce-required', 'client-secret-basic-only', 'code-single-use', 'code-redirect-uri-matches'] as const),
  ...(['refresh-scope-subset', 'refresh-token-single-use', 'logout-parameters-required'] as const),
]);

/** What browsers ask every site for, and no client does. */
const BROWSERS_OWN = /^\/(?:favicon\.ico|robots\.txt|apple-touch-icon[\w-]*\.png|\.well-known\/appspecific\/.*)$/;

/** What the provider refuses. */
export const REFUSAL_RULES: readonly Rule[] = [
  {
    id: 'request-refused',
    severity: 'error',
    requirement: 'Nothing that the client sends is refused for a mistake in it.',
    fix: 'See provider.problems.',
    source: 'RFC 6749 section 5.2',
    check: ({ entries }) => (entries.length === 0 ? undefined : refused(entries)),
  },
];

function refused(entries: readonly RecordedExchange[]): readonly Violation[] {
  const found = new Map<string, Violation & { entries: RecordedExchange[] }>();
  for (const entry of entries) {
    const { refusal, record } = entry;
    if (refusal === undefined || record.fault || LEFT_OUT.has(refusal.rule)) continue;
    if (BROWSERS_OWN.test(record.path)) continue;
    const what = `${record.path} refused: ${refusal.reason}`;
    const known = found.get(what);
    if (known) known.entries.push(entry);
    else
      found.set(what, {
        what,
        entries: [entry],
        source: refusal.source,
        ...(refusal.fix !== undefined && { fix: refusal.fix }),
      });
  }
  return [...found.values()];
}
