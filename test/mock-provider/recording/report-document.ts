import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REPORT_RULES } from '../../../lib/mock-provider/recording/rules/rules.js';
import { root } from '../../architecture/imports.js';

const MARKER = '`npm run docs:report`. -->\n';

/** @returns docs/report.md with the table of the rules after its marker. */
export function reportDocument(): string {
  const page = readFileSync(join(root, 'docs/report.md'), 'utf8');
  const end = page.indexOf(MARKER) + MARKER.length;
  if (end < MARKER.length) throw new Error(`docs/report.md has no line that ends with ${MARKER}`);
  const rows = REPORT_RULES.map(({ id, ...rule }) => [
    `\`${id}\``,
    rule.requirement,
    rule.source,
    rule.severity,
    rule.fix,
  ]);
  const lines = [['Id', 'Requirement', 'Source', 'Severity', 'What to do'], Array(5).fill('---'), ...rows];
  return `${page.slice(0, end)}\n${lines.map((cells) => `| ${cells.join(' | ')} |\n`).join('')}`;
}
