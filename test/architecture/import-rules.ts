import { foreignPackage, type Import, ownTarget } from './imports.js';
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
export function violations(imports: readonly Import[]): string[] {
  return imports.map(violationOf).filter((message) => message !== undefined);
}

/** @returns a cycle of modules that may import each other, or undefined. */
export function moduleCycle(): string | undefined {
  const cycles = [ALL, MOCK_MODULES].map((modules) =>
    cycleIn(new Map(Object.entries(modules).map(([name, { imports }]) => [name, imports]))),
  );
  return cycles.find((cycle) => cycle !== undefined);
}

/** @returns one cycle of files that import each other, types included, or undefined. */
export function fileCycle(imports: readonly Import[]): string | undefined {
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
export function packagesLoadedBy(entry: string, imports: readonly Import[]): string[] {
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
