import { foreignPackage, type Import, ownTarget } from './imports.js';

// The modules of lib/, each with the modules that it may import: all are listed above it. A file directly in lib/ is a module.
const LEAVES = [
  'error-codes',
  'errors',
  'scope',
  'clock',
  'secret',
  'json',
  'with-timeout',
  'bounded-map',
  'single-flight',
];
const WIRE = ['url', 'http'];
const SERVICES = ['authorization-server', 'token-vault', 'resource-api', 'events', 'cookies'];
const BELOW_SIGN_IN = ['session', 'options', 'html', ...SERVICES, ...WIRE, ...LEAVES];

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(LEAVES.map((leaf) => [leaf, []])),
  errors: ['error-codes'],
  url: LEAVES,
  http: ['url', ...LEAVES],
  'authorization-server': [...WIRE, ...LEAVES],
  'resource-api': [...WIRE, ...LEAVES],
  'token-vault': LEAVES,
  html: LEAVES,
  events: ['authorization-server', ...LEAVES],
  cookies: ['token-vault', ...LEAVES],
  options: [...SERVICES, ...WIRE, ...LEAVES],
  session: [...SERVICES, ...WIRE, ...LEAVES],
  'sign-in': BELOW_SIGN_IN,
  passport: ['sign-in', ...BELOW_SIGN_IN],
  express: ['sign-in', ...BELOW_SIGN_IN],
  'clinician-login': ['express', 'passport', 'sign-in', ...BELOW_SIGN_IN],
  index: ['clinician-login', 'express', 'passport', 'sign-in', ...BELOW_SIGN_IN],
  redis: ['token-vault', ...LEAVES],
  'mock-provider': [],
  testing: ['mock-provider'],
  cli: ['mock-provider', 'options', 'authorization-server', ...WIRE, ...LEAVES],
};

/** Imports of types only, against the direction of the modules. */
const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = {
  'token-vault': ['lib/resource-api/profile.ts'],
};

const MAY_IMPORT_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'authorization-server': ['openid-client'],
  cookies: ['cookie'],
  express: ['express'],
  passport: ['passport', 'passport-oauth2'],
};

/** Modules of the mock provider that behave alike whether or not a fault is queued. */
const UNAWARE_OF_FAULTS =
  /^lib\/mock-provider\/(http|state|pages|protocol|endpoints|interactions|resource-api|recording)\//;
const FAULTS = 'lib/mock-provider/faults/';

function moduleOf(file: string): string {
  return /^lib\/([^/.]+)/.exec(file)?.[1] ?? file;
}

function violationOf(one: Import): string | undefined {
  const module = moduleOf(one.file);
  const mayImport = MAY_IMPORT[module];
  if (!mayImport) return `${one.file}: add the module "${module}" to test/architecture/import-rules.ts`;
  const target = ownTarget(one);
  if (target) {
    const other = moduleOf(target);
    if (target.startsWith(FAULTS) && UNAWARE_OF_FAULTS.test(one.file)) return `${one.file} must not import ${target}`;
    if (other === module && target.startsWith(`lib/${module}/`)) return undefined;
    if (mayImport.includes(other)) return undefined;
    if (one.typeOnly && MAY_IMPORT_TYPES[module]?.includes(target)) return undefined;
    return `${one.file} must not import ${target}`;
  }
  const foreign = foreignPackage(one);
  if (!foreign || MAY_IMPORT_PACKAGES[module]?.includes(foreign)) return undefined;
  return `${one.file} must not import the package ${foreign}`;
}

/** @returns a message for each import that breaks a rule. */
export function violations(imports: readonly Import[]): string[] {
  return imports.map(violationOf).filter((message) => message !== undefined);
}

/** @returns two modules that may import each other, through others or directly, or undefined. */
export function moduleCycle(): string | undefined {
  return cycleIn(new Map(Object.entries(MAY_IMPORT)));
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
