import type { ClientStore } from '../state/clients.js';
import type { RecordedExchange } from './observation.js';
import { indexExchanges } from './rules/exchange-index.js';
import type { ReportRule, Severity, Violation } from './rules/rule.js';
import { REPORT_RULES } from './rules/rules.js';

/** A mistake or a weakness of the client under test. */
export interface Finding {
  /** The id of the rule: the page "The report" lists them. */
  readonly rule: string;
  /** `error` if a login fails or can be hijacked. `warning` if the client works, but should be improved or may be refused by the service. */
  readonly severity: Severity;
  /** What was seen, in which requests, and what to change. */
  readonly message: string;
  /** The section of an RFC, or the part of the service specification, that the rule follows. */
  readonly source: string;
  /** The numbers of the requests in `provider.requests`. */
  readonly requests: readonly number[];
}

/** The result of `provider.report()` for the requests since the start or the last `reset()`. */
export interface Report {
  readonly findings: readonly Finding[];
  /** The ids of the rules that the client follows. */
  readonly passed: readonly string[];
  /** The ids of the rules for which no request was seen. */
  readonly notChecked: readonly string[];
  /** Formats the report as text: `console.log(String(provider.report()))`. */
  toString(): string;
}

const MAX_LISTED_REQUESTS = 10;
const MAX_FINDINGS_PER_RULE = 5;

/** Checks the recorded exchanges against every rule. */
export function reportOn(exchanges: readonly RecordedExchange[], clients: ClientStore): Report {
  const index = indexExchanges(exchanges, clients);
  const findings: Finding[] = [];
  const passed: string[] = [];
  const notChecked: string[] = [];
  for (const rule of REPORT_RULES) {
    const violations = rule.check(index);
    if (violations === undefined) notChecked.push(rule.id);
    else if (violations.length === 0) passed.push(rule.id);
    else findings.push(...mergeMany(violations).map((violation) => toFinding(rule, violation)));
  }
  const report: Report = { findings, passed, notChecked };
  // Not enumerable, so that toEqual() and JSON.stringify() see only the data.
  return Object.defineProperty(report, 'toString', { value: () => formatReport(report) });
}

function mergeMany(violations: readonly Violation[]): readonly Violation[] {
  const [first] = violations;
  if (first === undefined || violations.length <= MAX_FINDINGS_PER_RULE) return violations;
  const what = `${first.what}, and ${violations.length - 1} more times`;
  return [{ what, exchanges: violations.flatMap(({ exchanges }) => exchanges) }];
}

function toFinding(
  { id, severity, ...rule }: ReportRule,
  { what, exchanges, fix = rule.fix, source = rule.source }: Violation,
): Finding {
  const requests = [...new Set(exchanges.map(({ record }) => record.number))].sort((a, b) => a - b);
  return { rule: id, severity, message: `${what} (${listRequests(requests)}). ${fix}`, source, requests };
}

function listRequests(requests: readonly number[]): string {
  const listed = requests.slice(0, MAX_LISTED_REQUESTS).join(', ');
  const omitted = requests.length - MAX_LISTED_REQUESTS;
  return `${requests.length === 1 ? 'request' : 'requests'} ${listed}${omitted > 0 ? ` and ${omitted} more` : ''}`;
}

function formatReport({ findings, passed, notChecked }: Report): string {
  const count = (severity: Severity) => findings.filter((one) => one.severity === severity).length;
  const lines = findings.map(
    ({ rule, severity, message, source }) => `\n${severity.toUpperCase()} ${rule} (${source})\n  ${message}`,
  );
  return [
    `The client under test: ${plural(count('error'), 'error')}, ${plural(count('warning'), 'warning')}.`,
    ...lines,
    `\n${plural(passed.length, 'rule')} passed${listRules(passed)}`,
    `${plural(notChecked.length, 'rule')} not checked, because no request was seen${listRules(notChecked)}`,
    '',
  ].join('\n');
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

function listRules(ids: readonly string[]): string {
  return ids.length === 0 ? '.' : `: ${ids.join(', ')}.`;
}
