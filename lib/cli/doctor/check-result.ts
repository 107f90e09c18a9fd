/** The result of one check. `problem` makes the exit code 1; `skipped` could not be checked. */
export interface CheckResult {
  readonly check: string;
  readonly outcome: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  /** What to do about a warning or a problem. */
  readonly fix?: string;
}

export const ok = (check: string, message: string): CheckResult => ({ check, outcome: 'ok', message });
export const skipped = (check: string, message: string): CheckResult => ({ check, outcome: 'skipped', message });
export const warning = (check: string, message: string, fix: string): CheckResult => ({
  check,
  outcome: 'warning',
  message,
  fix,
});
export const problem = (check: string, message: string, fix: string): CheckResult => ({
  check,
  outcome: 'problem',
  message,
  fix,
});

export function hasNoProblems(results: readonly CheckResult[]): boolean {
  return results.every(({ outcome }) => outcome !== 'problem');
}

/** @returns the output of `doctor --json`. */
export function reportLine(results: readonly CheckResult[]): string {
  return JSON.stringify({ ok: hasNoProblems(results), results });
}

/** @returns a line for each result, with the fix below it. */
export function reportText(results: readonly CheckResult[]): string {
  const width = Math.max(...results.map(({ check }) => check.length));
  const lines = results.flatMap(({ outcome, check, message, fix }) => {
    const line = `  ${outcome.padEnd('problem'.length)}  ${check.padEnd(width)}  ${message}`;
    return fix === undefined ? [line] : [line, `${' '.repeat(width + 13)}${fix}`];
  });
  const counts = (['problem', 'warning'] as const).map((outcome) => {
    const count = results.filter((result) => result.outcome === outcome).length;
    return `${count} ${outcome}${count === 1 ? '' : 's'}`;
  });
  return ['', ...lines, '', `  ${counts.join(', ')}`, ''].join('\n');
}
