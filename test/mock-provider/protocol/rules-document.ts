import { RULE_SECTIONS, SERVICE_RULES } from '../../../lib/mock-provider/protocol/rules.js';
import { cell, code, table } from '../../helpers/generated-document.js';
import { testLink } from '../../helpers/test-names.js';
import type { Difference } from '../../spec/differences/difference.js';
import { DIFFERENCES } from '../../spec/differences.js';
import { CLIENT_PATHS, pathsOf } from '../../spec/paths.js';
import { SIDES, type Statement } from '../../spec/statements/statement.js';
import { STATEMENTS } from '../../spec/statements.js';

const INTRODUCTION = `# Service rules

Look up the rule that a request has violated, where it comes from, and what to do: \`provider.problems\`, each error page and the
inspector name it. The mock provider enforces all these rules of the clinician identity service. If the source is
\`this mock\`, the specification of the service is silent.

Two more lists follow the rules:

- [Differences from the service](#differences-from-the-service): what the mock provider accepts or refuses in addition, and why
- [Statements of the service specification](#statements-of-the-service-specification), each with its rules and tests
`;

const DIFFERENCES_INTRODUCTION = `
## Differences from the service

The mock provider is never looser than the service specification, except as the first table says. A rule whose source is
an RFC, OpenID Connect or \`this mock\` can be stricter than the service: the specification is silent there. The second table
has the most important of these rules. The third table has what the service does otherwise or does not have.

Without an option a difference is always there. The options are those of [\`startMockProvider()\` and
\`registerClient()\`](../reference/options.md#options-of-startmockprovider).
`;

const STATEMENTS_INTRODUCTION = `
## Statements of the service specification

Each testable statement of the service specification, in the words of this project. A statement binds one or more sides:

- **mock**: the mock provider behaves as the service.
- **client**: this package sends and checks what the service requires.
- **site**: the site that uses this package. The reference site shows it.

The column "paths" says on which paths of a site the test of the client runs: \`clinicianLogin()\`, \`clinician.strategy\` and
\`ClinicianStrategy\` without \`clinicianLogin()\`. **all** is each of them; **shared** is a module that each of them uses. Pages,
buttons, popups, silent sign-in and the session check are parts of \`clinicianLogin()\`.

Each side has the test that shows it. \`npm test -- FILE -t 'NAME'\` runs one test. A dash (-) as the rule is followed by the
reason why there is no rule. Rules that link to [the report](report.md) check the client under test. Form A is the \`profile\`
flow, Form B is the \`openid\` flow.
`;

/** @returns docs/assurance/service-rules.md. */
export function rulesDocument(): string {
  const sections = RULE_SECTIONS.map(([title, rules]) => {
    const rows = Object.entries(rules).map(([id, { rule, source, fix = '' }]) =>
      [code(id), rule, source, fix].map(cell),
    );
    return `\n## ${title}\n\n${table(['Id', 'Rule', 'Source', 'What to do'], rows)}`;
  });
  return INTRODUCTION + sections.join('') + differenceSections() + statementSections();
}

function differenceSections(): string {
  const sections = DIFFERENCES.map(([title, differences]) => {
    const rows = differences.map((one) => [
      cell(one.mock),
      cell(one.why),
      [optionCell(one), ruleCell(one)].filter(Boolean).join('<br>'),
    ]);
    return `\n### ${title}\n\n${table(['The mock provider', 'Why', 'Option and rules'], rows)}`;
  });
  return DIFFERENCES_INTRODUCTION + sections.join('');
}

function optionCell({ enabledBy, changedBy }: Difference): string {
  if (enabledBy) return `only with ${enabledBy.map(code).join(', ')}`;
  return changedBy ? `changed by ${changedBy.map(code).join(', ')}` : '';
}

function statementSections(): string {
  const all = STATEMENTS.flatMap(([, statements]) => Object.values(statements));
  const counts = SIDES.map((side) => `${all.filter((one) => one[side] !== undefined).length} bind the ${side}`);
  const sections = STATEMENTS.map(([part, statements]) => {
    const rows = Object.values(statements).map((one) => [
      cell(one.statement),
      ruleCell(one),
      testCell(one),
      pathsCell(one),
    ]);
    return `\n### ${part}\n\n${table(['Statement', 'Rule', 'Side and test', 'Paths'], rows)}`;
  });
  return `${STATEMENTS_INTRODUCTION}\nThere are ${all.length} statements: ${counts.join(', ')}. ${pathCounts(all)}\n${sections.join('')}`;
}

function pathCounts(all: readonly Statement[]): string {
  const cells = all.map(pathsCell).filter((shown) => shown !== '');
  const names = [...new Set(cells)].sort();
  const counts = names.map((name) => `${name} ${cells.filter((shown) => shown === name).length}`);
  return `The paths of the client: ${counts.join(', ')}.`;
}

/** @returns the paths on which the client is shown; empty for a statement that does not bind it. */
function pathsCell({ client }: Statement): string {
  if (client === undefined) return '';
  const paths = pathsOf(client) ?? [];
  if (paths === 'shared') return paths;
  return paths.length === CLIENT_PATHS.length ? 'all' : paths.map(code).join(', ');
}

function ruleCell({ rules = [], reason }: Pick<Statement, 'rules' | 'reason'>): string {
  if (reason !== undefined) return `- ${cell(reason)}`;
  return rules.map((id) => (id in SERVICE_RULES ? code(id) : `[${code(id)}](report.md)`)).join(', ');
}

function testCell(statement: Statement): string {
  const tests = SIDES.flatMap((side) => {
    const reference = statement[side];
    if (reference === undefined) return [];
    return `${side}: ${testLink(reference)}`;
  });
  return tests.length === 0 ? '-' : tests.join('<br>');
}
