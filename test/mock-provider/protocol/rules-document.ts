import { RULE_SECTIONS } from '../../../lib/mock-provider/protocol/rules.js';
import { code, table } from '../../generated-document.js';

const INTRODUCTION = `# Service rules

The mock provider enforces these rules of the clinician identity service. Each problem of \`provider.problems\`, each error
page and the inspector name the rule that a request violates. Where the source is \`this mock\`, the service spec is silent.
`;

/** @returns docs/service-rules.md. */
export function rulesDocument(): string {
  const sections = RULE_SECTIONS.map(([title, rules]) => {
    const rows = Object.entries(rules).map(([id, { rule, source, fix = '' }]) =>
      [code(id), rule, source, fix].map(cell),
    );
    return `\n## ${title}\n\n${table(['Id', 'Rule', 'Source', 'What to do'], rows)}`;
  });
  return INTRODUCTION + sections.join('');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
