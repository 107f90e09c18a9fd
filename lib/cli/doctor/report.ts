import type { CheckResult } from './check-result.js';

/** @returns true when nothing is a problem. Warnings are for people to weigh. */
export function hasNoProblems(findings: readonly CheckResult[]): boolean {
  return findings.every(({ outcome }) => outcome !== 'problem');
}

export function reportLine(findings: readonly CheckResult[]): string {
  return JSON.stringify({ ok: hasNoProblems(findings), findings });
}

/** @returns a line for each finding, and what to do below it. */
export function reportText(findings: readonly CheckResult[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ outcome, check, message, fix }) => {
    const line = `  ${outcome.padEnd('problem'.length)}  ${check.padEnd(width)}  ${message}`;
    return fix === undefined ? [line] : [line, `${' '.repeat(width + 13)}${fix}`];
  });
  const count = (outcome: string): number => findings.filter((one) => one.outcome === outcome).length;
  const [problems, warnings] = [count('problem'), count('warning')];
  const end = `  ${problems} ${problems === 1 ? 'problem' : 'problems'}, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}`;
  return ['', ...lines, '', end, ''].join('\n');
}
