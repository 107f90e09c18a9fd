/** What one look at a site's settings found. `problem` ends with exit code 1; `skipped` could not be looked at. */
export interface CheckResult {
  readonly check: string;
  readonly outcome: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  /** What to do about it. */
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
