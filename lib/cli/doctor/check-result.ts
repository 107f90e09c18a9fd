/** What one look at a site's settings found. `problem` ends with exit code 1; `skipped` could not be looked at. */
export interface Finding {
  readonly check: string;
  readonly outcome: 'ok' | 'warning' | 'problem' | 'skipped';
  readonly message: string;
  /** What to do about it. */
  readonly cure?: string;
}

export const ok = (check: string, message: string): Finding => ({ check, outcome: 'ok', message });
export const skipped = (check: string, message: string): Finding => ({ check, outcome: 'skipped', message });
export const warning = (check: string, message: string, cure: string): Finding => ({
  check,
  outcome: 'warning',
  message,
  cure,
});
export const problem = (check: string, message: string, cure: string): Finding => ({
  check,
  outcome: 'problem',
  message,
  cure,
});
