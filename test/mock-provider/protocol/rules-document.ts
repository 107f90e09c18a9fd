import { RULE_SECTIONS, SERVICE_RULES } from '../../../lib/mock-provider/protocol/rules.js';
import { code, table } from '../../generated-document.js';
import { SIDES, type Statement } from '../../spec/statements/statement.js';
import { STATEMENTS } from '../../spec/statements.js';
import { readReference } from '../../spec/test-names.js';

const INTRODUCTION = `# Service rules

The mock provider enforces these rules of the clinician identity service. Each problem of \`provider.problems\`, each error
page and the inspector name the rule that a request violates. Where the source is \`this mock\`, the service spec is silent.

The last section lists [the statements of the service specification](#statements-of-the-service-specification), each with its
rules and tests.
`;

const STATEMENTS_INTRODUCTION = `
## Statements of the service specification

Each testable statement of the service specification, in the words of this project. A statement binds one or more sides:

- **mock**: the mock provider behaves as the service.
- **client**: this package sends and checks what the service requires.
- **site**: the site that uses this package. The reference site shows it.

Each side has the test that shows it. \`npm test -- FILE -t 'NAME'\` runs one test. A dash (-) as the rule is followed by the
reason why there is no rule. Rules that link to [the report](report.md) check the client under test. Form A is the \`profile\`
flow, Form B is the \`openid\` flow.
`;

/** @returns docs/service-rules.md. */
export function rulesDocument(): string {
  const sections = RULE_SECTIONS.map(([title, rules]) => {
    const rows = Object.entries(rules).map(([id, { rule, source, fix = '' }]) =>
      [code(id), rule, source, fix].map(cell),
    );
    return `\n## ${title}\n\n${table(['Id', 'Rule', 'Source', 'What to do'], rows)}`;
  });
  return INTRODUCTION + sections.join('') + statementSections();
}

function statementSections(): string {
  const all = STATEMENTS.flatMap(([, statements]) => Object.values(statements));
  const counts = SIDES.map((side) => `${all.filter((one) => one[side] !== undefined).length} bind the ${side}`);
  const sections = STATEMENTS.map(([part, statements]) => {
    const rows = Object.values(statements).map((one) => [cell(one.statement), ruleCell(one), testCell(one)]);
    return `\n### ${part}\n\n${table(['Statement', 'Rule', 'Side and test'], rows)}`;
  });
  return `${STATEMENTS_INTRODUCTION}\nThere are ${all.length} statements: ${counts.join(', ')}.\n${sections.join('')}`;
}

function ruleCell({ rules = [], reason }: Statement): string {
  if (reason !== undefined) return `- ${cell(reason)}`;
  return rules.map((id) => (id in SERVICE_RULES ? code(id) : `[${code(id)}](report.md)`)).join(', ');
}

function testCell(statement: Statement): string {
  const tests = SIDES.flatMap((side) => {
    const reference = statement[side];
    if (reference === undefined) return [];
    const { file, name } = readReference(reference);
    return `${side}: [${cell(name.replaceAll(/%[a-z]/g, '...'))}](../${file})`;
  });
  return tests.length === 0 ? '-' : tests.join('<br>');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '&lt;');
}
