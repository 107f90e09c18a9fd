import { cell, table } from '../helpers/generated-document.js';
import { testLink } from '../helpers/test-names.js';
import { ADVISORIES } from './points/advisories.js';
import { CSRF_PREVENTION } from './points/owasp-csrf.js';
import { SESSION_MANAGEMENT } from './points/owasp-session-management.js';
import { PARTIES, type SecurityPoint, type SecuritySections } from './points/point.js';
import { ATTACKS } from './points/rfc-9700-attacks.js';
import { RECOMMENDATIONS } from './points/rfc-9700-recommendations.js';

/** Lists the documents that docs/security.md answers point by point. */
export const DOCUMENTS: readonly (readonly [title: string, introduction: string, sections: SecuritySections])[] = [
  [
    'RFC 9700',
    '[Best Current Practice for OAuth 2.0 Security](https://www.rfc-editor.org/rfc/rfc9700). It binds clients and authorization servers.',
    [...RECOMMENDATIONS, ...ATTACKS],
  ],
  [
    'OWASP Session Management Cheat Sheet',
    'By the headings of the [cheat sheet](https://cheatsheetseries.owasp.org/cheatsheets/Session_Management_Cheat_Sheet.html).',
    SESSION_MANAGEMENT,
  ],
  [
    'OWASP CSRF Prevention Cheat Sheet',
    'By the headings of the [cheat sheet](https://cheatsheetseries.owasp.org/cheatsheets/Cross-Site_Request_Forgery_Prevention_Cheat_Sheet.html).',
    CSRF_PREVENTION,
  ],
];

const ADVISORIES_INTRODUCTION = `
## Advisories of comparable packages

Published vulnerabilities of comparable packages that have a counterpart here. Each has tests that would fail if this package
or the mock provider had the vulnerability.
`;

/** @returns the generated part of docs/security.md. */
export function requirementsSection(): string {
  const documents = DOCUMENTS.map(([title, introduction, sections]) => {
    const parts = sections.map(([section, points]) => `\n### ${section}\n\n${pointTable(points)}`);
    return `\n## ${title}\n\n${introduction}\n${parts.join('')}`;
  });
  return `${documents.join('')}${advisoriesSection()}\n`;
}

function pointTable(points: readonly SecurityPoint[]): string {
  const rows = points.map((point) => [cell(point.requirement), measureCell(point), testCell(point)]);
  return table(['Requirement', 'How it is met', 'Tests'], rows);
}

function measureCell(point: SecurityPoint): string {
  const parties = PARTIES.flatMap((party) => (point[party] ? `**${party}**: ${point[party][0]}` : []));
  const { reason, site } = point;
  const others = [reason && `**not here**: ${reason}`, site && `**site**: ${site}`].filter(
    (text) => text !== undefined,
  );
  return [...parties, ...others].map(cell).join('<br>');
}

function testCell(point: SecurityPoint): string {
  const tests = PARTIES.flatMap((party) => {
    const [, ...references] = point[party] ?? [''];
    return references.map((reference) => `${party}: ${testLink(reference)}`);
  });
  return tests.length === 0 ? '-' : tests.join('<br>');
}

function advisoriesSection(): string {
  const sections = ADVISORIES.map(([subject, advisories]) => {
    const rows = advisories.map(({ product, ids, fault, tests }) => [
      cell(product),
      ids.map(advisoryLink).join('<br>'),
      cell(fault),
      tests.map(testLink).join('<br>'),
    ]);
    return `\n### ${subject}\n\n${table(['Package', 'Advisory', 'What was wrong', 'Tests'], rows)}`;
  });
  return ADVISORIES_INTRODUCTION + sections.join('');
}

function advisoryLink(id: string): string {
  const base = id.startsWith('CVE-') ? 'https://www.cve.org/CVERecord?id=' : 'https://github.com/advisories/';
  return `[${id}](${base}${id})`;
}
