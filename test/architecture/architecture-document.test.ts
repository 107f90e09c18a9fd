import { expect, test } from '@jest/globals';
import { code, expectSection, table } from '../documents.js';
import { LEAF_MODULES, MOCK_MODULES, MODULES, type Module } from './modules.js';

const LEAVES = 'leaf modules';

type Modules = Readonly<Record<string, Module>>;

interface Imports {
  /** All leaf modules are one module here. */
  readonly all: readonly string[];
  /** The imported modules that no other imported module imports, also indirectly. */
  readonly nearest: readonly string[];
  /** The modules that the nearest ones import, and that may not be imported directly. */
  readonly excluded: readonly string[];
}

function importsOf(modules: Modules, name: string): Imports {
  const namesOf = (module: string): string[] => [
    ...new Set((modules[module]?.imports ?? []).map((each) => (each in LEAF_MODULES ? LEAVES : each))),
  ];
  const below = (module: string): string[] => namesOf(module).flatMap((each) => [each, ...below(each)]);
  const all = namesOf(name);
  const implied = new Set(all.flatMap(below));
  const nearest = all.filter((each) => !implied.has(each));
  return { all, nearest, excluded: [...implied].filter((each) => !all.includes(each)) };
}

/** @returns a Mermaid diagram with an arrow from each module to its nearest imports. */
function diagram(modules: Modules): string {
  const arrows = Object.keys(modules).flatMap((name) => {
    const { nearest } = importsOf(modules, name);
    return nearest.length === 0 ? [] : [`    ${name} --> ${nearest.map(node).join(' & ')}\n`];
  });
  return `\n\`\`\`mermaid\nflowchart TB\n${arrows.join('')}\`\`\`\n\n`;
}

function node(name: string): string {
  return name === LEAVES ? `leaves[${LEAVES}]` : name;
}

/** @returns the imports of a module in short: "`sign-in` and all below". */
function importText({ all, nearest, excluded }: Imports): string {
  const list = (names: readonly string[]): string =>
    names.map((name) => (name === LEAVES ? LEAVES : code(name))).join(', ');
  if (nearest.length === all.length || excluded.length > 1) return list(all);
  return `${list(nearest)} and all below${excluded.length > 0 ? ` except ${list(excluded)}` : ''}`;
}

/** @returns a table of the modules, with what they may import. */
function moduleTable(modules: Modules): string {
  const rows = Object.entries(modules).map(([name, { purpose, packages = [], files = [], types = [] }]) => {
    const onlyTypes = types.map((file) => `types of ${code(moduleOf(file))}`);
    const imports = [importText(importsOf(modules, name)), ...files.map((file) => code(file)), ...onlyTypes]
      .filter((text) => text !== '')
      .join(', ');
    return [code(name), purpose, imports, packages.map(code).join(', ')];
  });
  return `${table(['module', 'purpose', 'may import', 'packages'], rows)}\n`;
}

function moduleOf(file: string): string {
  return file.replace(/^lib\/(mock-provider\/)?/, '').replace(/[/.].*/, '');
}

/** @returns a table of the leaf modules. */
function leafTable(): string {
  const rows = Object.entries(LEAF_MODULES).map(([name, { purpose }]) => [code(name), purpose]);
  return `\n${table(['module', 'purpose'], rows)}\n`;
}

test.each([
  ['relying party', diagram(MODULES) + moduleTable(MODULES)],
  ['leaf modules', leafTable()],
  ['mock provider', diagram(MOCK_MODULES) + moduleTable(MOCK_MODULES)],
])('docs/project/architecture.md contains the modules: %s', (section, text) => {
  expectSection('docs/project/architecture.md', section, text, 'npm run docs:architecture');
});

test('the diagram omits an arrow that other arrows imply', () => {
  const module = (...imports: string[]) => ({ purpose: '', imports });
  const arrows = diagram({
    top: module('middle', 'bottom', 'errors'),
    middle: module('bottom'),
    bottom: module('errors'),
  });
  expect(arrows.match(/.*-->.*/g)).toEqual([
    '    top --> middle',
    '    middle --> bottom',
    '    bottom --> leaves[leaf modules]',
  ]);
});
