import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import {
  entrySources,
  exportsOf,
  foreignPackage,
  type Import,
  importsIn,
  ownTarget,
  root,
  sources,
} from './imports.js';
import { LEAF_MODULES, MOCK_MODULES, MODULES, type Module } from './modules.js';

const ALL: Readonly<Record<string, Module>> = { ...MODULES, ...LEAF_MODULES };
const MOCK = 'lib/mock-provider/';

/** @returns the name of the module of a file, within a folder. */
function moduleOf(file: string, folder = 'lib/'): string {
  return file.slice(folder.length).split(/[/.]/, 1)[0] as string;
}

/** Checks an import of a file of this repository, from one module of a folder to another one. */
function mayImport(one: Import, target: string, folder: string, modules: Readonly<Record<string, Module>>): boolean {
  const [module, other] = [moduleOf(one.file, folder), moduleOf(target, folder)];
  if (module === other) return true;
  const { imports, files = [], types = [] } = modules[module] as Module;
  return imports.includes(other) || files.includes(target) || (one.typeOnly && types.includes(target));
}

function violationOf(one: Import): string | undefined {
  const isMock = one.file.startsWith(MOCK);
  const module = isMock ? MOCK_MODULES[moduleOf(one.file, MOCK)] : ALL[moduleOf(one.file)];
  if (!module) return `${one.file}: add its module to test/architecture/modules.ts`;
  const target = ownTarget(one);
  if (target) {
    const isAllowed =
      isMock && target.startsWith(MOCK)
        ? mayImport(one, target, MOCK, MOCK_MODULES)
        : mayImport(one, target, 'lib/', ALL);
    return isAllowed ? undefined : `${one.file} must not import ${target}`;
  }
  const foreign = foreignPackage(one);
  if (!foreign || module.packages?.includes(foreign)) return undefined;
  return `${one.file} must not import the package ${foreign}`;
}

/** @returns a message for each import that breaks a rule. */
function violations(imports: readonly Import[]): string[] {
  return imports.map(violationOf).filter((message) => message !== undefined);
}

/** @returns a cycle of modules that may import each other, or undefined. */
function moduleCycle(): string | undefined {
  const cycles = [ALL, MOCK_MODULES].map((modules) =>
    cycleIn(new Map(Object.entries(modules).map(([name, { imports }]) => [name, imports]))),
  );
  return cycles.find((cycle) => cycle !== undefined);
}

/** @returns one cycle of files that import each other, types included, or undefined. */
function fileCycle(imports: readonly Import[]): string | undefined {
  const targets = new Map<string, string[]>();
  for (const one of imports) {
    const target = ownTarget(one);
    if (target) targets.set(one.file, [...(targets.get(one.file) ?? []), target]);
  }
  return cycleIn(targets);
}

function cycleIn(targets: ReadonlyMap<string, readonly string[]>): string | undefined {
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): string | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name].join(' -> ');
    if (done.has(name)) return undefined;
    for (const target of targets.get(name) ?? []) {
      const cycle = visit(target, [...path, name]);
      if (cycle) return cycle;
    }
    done.add(name);
    return undefined;
  };
  for (const name of targets.keys()) {
    const cycle = visit(name, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** @returns every package that an entry loads, by itself or through its own files. Type imports load nothing. */
function packagesLoadedBy(entry: string, imports: readonly Import[]): string[] {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const file of files) {
    for (const one of imports.filter((each) => each.file === file && !each.typeOnly)) {
      const target = ownTarget(one);
      if (target) files.add(target);
      const foreign = foreignPackage(one);
      if (foreign) packages.add(foreign);
    }
  }
  return [...packages].sort();
}

const imports = importsIn('lib');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
};
const entries = Object.values(entrySources);
/** ES modules that jest without configuration could not load: the build contains their code. */
const BUNDLED = ['openid-client'];

describe('the imports of lib', () => {
  test('each module imports only the modules below it and its own packages', () => {
    expect(imports.length).toBeGreaterThan(0);
    expect(violations(imports)).toEqual([]);
  });

  test('no module imports itself through other modules, and no file through other files', () => {
    expect(moduleCycle()).toBeUndefined();
    expect(fileCycle(imports)).toBeUndefined();
  });

  test('packages used at run time are dependencies, or in the build', () => {
    const used = imports.filter((one) => !one.typeOnly).map(foreignPackage);
    const undeclared = used.filter(
      (name) => name !== undefined && !(name in manifest.dependencies) && !BUNDLED.includes(name),
    );
    expect(undeclared).toEqual([]);
  });

  test.each(['mock-provider', 'testing'])('the entry %s loads no package', (module) => {
    const entry = `lib/${module}/${module}.ts`;
    expect(sources('lib')).toContain(entry);
    expect(packagesLoadedBy(entry, imports)).toEqual([]);
  });

  test('each file is imported, except the entries', () => {
    const imported = new Set(imports.map(ownTarget));
    const starts = [...entries, 'lib/cli/main.ts'];
    const files = sources('lib').filter((file) => !file.endsWith('.d.ts'));
    expect(files.filter((file) => !imported.has(file) && !starts.includes(file))).toEqual([]);
  });

  test('each exported name is used in lib: a check that no table lists is found', () => {
    const counts = new Map<string, number>();
    for (const word of sources('lib').flatMap(wordsOf)) counts.set(word, (counts.get(word) ?? 0) + 1);
    const unused = sources('lib')
      .flatMap(exportsOf)
      .filter(([name]) => counts.get(name) === 1)
      .map(([name, file]) => `${name} of ${file}`);
    expect(unused).toEqual([]);
  });

  test('a name that two entries export has one declaration', () => {
    // The mock shares no code with the relying party, so that it has its own type of the same two flows.
    const files = new Map<string, string[]>();
    for (const entry of entries) {
      for (const [name, file] of exportsOf(entry)) files.set(name, [...(files.get(name) ?? []), file]);
    }
    expect(files.size).toBeGreaterThan(80);
    const clashes = [...files].filter(([name, each]) => new Set(each).size > 1 && name !== 'FlowName');
    expect(clashes).toEqual([]);
  });

  test('the reference site imports the package by its name', () => {
    const inside = importsIn('example-app').filter((one) => ownTarget(one)?.startsWith('lib/'));
    expect(inside).toEqual([]);
  });
});

function readWithoutComments(file: string): string {
  return readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');
}

/** @returns the words of a file, without those of its imports. */
function wordsOf(file: string): string[] {
  return (
    readWithoutComments(file)
      .replace(/^import [^;]*;/gm, '')
      .match(/\w+/g) ?? []
  );
}
