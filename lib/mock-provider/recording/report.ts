import type { RecordedExchange } from './observation.js';
import { indexExchanges, type KnownClient } from './rules/exchange-index.js';
import type { Rule, Severity, Violation } from './rules/rule.js';
import { RULES } from './rules/rules.js';

/** What the client under test does wrong, or should do better. */
export interface Finding {
  /** The name of the rule. */
  readonly rule: string;
  /** `error`: a login can be stolen, or fails. `warning`: it works, and should be better. */
  readonly severity: Severity;
  /** What was seen, in which requests, and what to change. */
  readonly message: string;
  /** Where it stands: an RFC's section, or a part of the service spec. */
  readonly source: string;
  /** The numbers of the requests in `provider.requests`. */
  readonly requests: readonly number[];
}

/** What `provider.report()` says of the client under test, by what was seen since the start or the last `reset()`. */
export interface Report {
  readonly findings: readonly Finding[];
  /** The rules that hold. */
  readonly passed: readonly string[];
  /** The rules that are about something that was not seen. */
  readonly notChecked: readonly string[];
  /** All of it as a text: `console.log(String(provider.report()))`. */
  toString(): string;
}

/** The clients that there are. */
interface Clients {
  get(id: string): KnownClient | undefined;
}

const MOST_NAMED = 10;
/** Of one rule. */
const MOST_FINDINGS = 5;

/** Looks at what was recorded, rule by rule. */
export function reportOn(entries: readonly RecordedExchange[], clients: Clients): Report {
  const all = indexExchanges(entries, (id) => clients.get(id));
  const findings: Finding[] = [];
  const passed: string[] = [];
  const notChecked: string[] = [];
  for (const rule of RULES) {
    const breaches = rule.check(all);
    if (breaches === undefined) notChecked.push(rule.id);
    else if (breaches.length === 0) passed.push(rule.id);
    else findings.push(...few(breaches).map((breach) => finding(rule, breach)));
  }
  const report: Report = { findings, passed, notChecked };
  // Not enumerable: a report is compared with toEqual() and written as JSON.
  return Object.defineProperty(report, 'toString', { value: () => text(report) });
}

/** Many breaches of a kind are told as one. */
function few(breaches: readonly Violation[]): readonly Violation[] {
  const [first] = breaches;
  if (first === undefined || breaches.length <= MOST_FINDINGS) return breaches;
  const what = `${first.what}, and so on ${breaches.length - 1} times more`;
  return [{ what, entries: breaches.flatMap(({ entries }) => entries) }];
}

function finding(
  { id, severity, ...rule }: Rule,
  { what, entries, fix = rule.fix, source = rule.source }: Violation,
): Finding {
  const requests = [...new Set(entries.map(({ record }) => record.number))].sort((a, b) => a - b);
  const message = `${what} (${numbers(requests)}). ${fix}`;
  return { rule: id, severity, message, source, requests };
}

function numbers(requests: readonly number[]): string {
  const named = requests.slice(0, MOST_NAMED).join(', ');
  const left = requests.length - MOST_NAMED;
  return `${requests.length === 1 ? 'request' : 'requests'} ${named}${left > 0 ? ` and ${left} more` : ''}`;
}

function text({ findings, passed, notChecked }: Report): string {
  const count = (severity: Severity) => findings.filter((one) => one.severity === severity).length;
  const lines = findings.map(
    ({ rule, severity, message, source }) => `\n${severity.toUpperCase()} ${rule} (${source})\n  ${message}`,
  );
  return [
    `The client under test: ${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}.`,
    ...lines,
    `\n${plural(passed.length, 'rule')} held${listed(passed)}`,
    `${plural(notChecked.length, 'rule')} not checked, as nothing was seen${listed(notChecked)}`,
    '',
  ].join('\n');
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function listed(ids: readonly string[]): string {
  return ids.length === 0 ? '.' : `: ${ids.join(', ')}.`;
}
