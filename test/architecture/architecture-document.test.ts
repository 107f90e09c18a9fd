import { test } from '@jest/globals';
import { code, expectSection, table } from '../documents.js';
import { LEAF_MODULES, MOCK_MODULES, MODULES, type Module } from './modules.js';

const LEAVES = 'leaf modules';

type Modules = Readonly<Record<string, Module>>;

/** @returns the modules that a module may import, without those that one of them may import, also indirectly. */
function nearestImports(modules: Modules, name: string): string[] {
  const namesOf = (module: string): string[] => [
    ...new Set((modules[module]?.imports ?? []).map((each) => (each in LEAF_MODULES ? LEAVES : each))),
  ];
  const below = (module: string): string[] => namesOf(module).flatMap((each) => [each, ...below(each)]);
  const implied = new Set(namesOf(name).flatMap(below));
  return namesOf(name).filter((each) => !implied.has(each));
}

/** @returns a Mermaid diagram with an arrow from each module to its nearest imports. */
function diagram(modules: Modules): string {
  const arrows = Object.keys(modules).flatMap((name) => {
    const nearest = nearestImports(modules, name);
    return nearest.length === 0 ? [] : [`    ${name} --> ${nearest.map(node).join(' & ')}\n`];
  });
  return `\n\`\`\`mermaid\nflowchart TB\n${arrows.join('')}\`\`\`\n\n`;
}

function node(name: string): string {
  return name === LEAVES ? `leaves[${LEAVES}]` : name;
}

/** @returns a table of the modules whose name does not say what they are for. */
function moduleTable(modules: Modules): string {
  const rows = Object.entries(modules).map(([name, { purpose }]) => [code(name), purpose ?? '']);
  return `${table(
    ['module', 'for'],
    rows.filter(([, purpose]) => purpose !== ''),
  )}\n`;
}

test.each([
  ['relying party', diagram(MODULES) + moduleTable({ ...MODULES, ...LEAF_MODULES })],
  ['mock provider', diagram(MOCK_MODULES) + moduleTable(MOCK_MODULES)],
])('docs/project/architecture.md contains the modules: %s', (section, text) => {
  expectSection('docs/project/architecture.md', section, text, 'npm run docs:architecture');
});
