import { REPORT_RULES } from '../../../lib/mock-provider/recording/rules/rules.js';
import { code, table } from '../../documents.js';

/** @returns the table of the rules, for docs/assurance/report.md. */
export function rulesSection(): string {
  const rows = REPORT_RULES.map(({ id, requirement, severity }) => [code(id), requirement, severity]);
  return `\n${table(['rule', 'requirement', 'severity'], rows)}`;
}
