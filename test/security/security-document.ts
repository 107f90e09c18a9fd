import { cell, table } from '../helpers/generated-document.js';
import { testLink } from '../helpers/test-names.js';
import { PARTIES, type SecurityPoint, type SecuritySections } from './points/point.js';
import { ATTACKS } from './points/rfc-9700-attacks.js';
import { RECOMMENDATIONS } from './points/rfc-9700-recommendations.js';

/** Lists the points of RFC 9700 by its sections. */
export const SECTIONS: SecuritySections = [...RECOMMENDATIONS, ...ATTACKS];

const INTRODUCTION = `
## RFC 9700

[Best Current Practice for OAuth 2.0 Security](https://www.rfc-editor.org/rfc/rfc9700). It binds clients and authorization servers.
`;

/** @returns the generated part of docs/assurance/security.md. */
export function requirementsSection(): string {
  const sections = SECTIONS.map(([section, points]) => `\n### ${section}\n\n${pointTable(points)}`);
  return `${INTRODUCTION}${sections.join('')}\n`;
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
