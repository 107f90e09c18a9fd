import { fixOf } from '../fixes.js';
import type { RecordedExchange } from '../observation.js';
import type { Rule, Violation } from './rule.js';

/** Refusals that a good client meets: a silent login, a denial, what has expired; and those that a rule of its own is about. */
const LEFT_OUT: ReadonlySet<number> = new Set([
  ...[29, 35, 39, 52, 84, 87, 97, 98],
  ...[5, 16, 21, 23, 46, 50, 54, 55, 75],
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
    if (refusal === undefined || record.fault || LEFT_OUT.has(refusal.decision)) continue;
    if (refusal.reason.startsWith('redirect_uri differs') || BROWSERS_OWN.test(record.path)) continue;
    const what = `${record.path} refused: ${refusal.reason}`;
    const known = found.get(what);
    const fix = fixOf(refusal.decision);
    if (known) known.entries.push(entry);
    else found.set(what, { what, entries: [entry], source: refusal.source, ...(fix !== undefined && { fix }) });
  }
  return [...found.values()];
}
