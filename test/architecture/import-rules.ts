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

/** The folders of the mock provider, which imports nothing else of lib/. */
const MOCK_LAYERS = (...names: readonly string[]): string[] => names.map((name) => `mock-provider/${name}`);
const MOCK_STATE = MOCK_LAYERS('http', 'options', 'state');
const MOCK_PROTOCOL = [...MOCK_STATE, ...MOCK_LAYERS('protocol')];
const MOCK_PAGES = [...MOCK_PROTOCOL, ...MOCK_LAYERS('pages')];
const MOCK_INTERACTIONS = [...MOCK_PAGES, ...MOCK_LAYERS('interactions')];
const MOCK_SERVER = [...MOCK_INTERACTIONS, ...MOCK_LAYERS('endpoints', 'resource-api', 'recording', 'faults')];
const MOCK_CONTROL = [...MOCK_SERVER, ...MOCK_LAYERS('server', 'headless')];
const MOCK_PROVIDER: Readonly<Record<string, readonly string[]>> = {
  'mock-provider/http': [],
  'mock-provider/tls': [],
  'mock-provider/options': MOCK_LAYERS('http', 'tls'),
  'mock-provider/state': MOCK_LAYERS('http', 'options'),
  'mock-provider/protocol': MOCK_STATE,
  'mock-provider/pages': MOCK_PROTOCOL,
  'mock-provider/interactions': MOCK_PAGES,
  'mock-provider/endpoints': MOCK_INTERACTIONS,
  'mock-provider/resource-api': MOCK_INTERACTIONS,
  'mock-provider/recording': MOCK_PAGES,
  'mock-provider/faults': MOCK_PAGES,
  'mock-provider/headless': MOCK_LAYERS('pages'),
  'mock-provider/server': MOCK_SERVER,
  'mock-provider/control': MOCK_CONTROL,
  'mock-provider/inspector': [...MOCK_CONTROL, ...MOCK_LAYERS('control')],
  'mock-provider': [...MOCK_CONTROL, ...MOCK_LAYERS('control', 'inspector')],
};

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
  ...MOCK_PROVIDER,
  testing: ['mock-provider'],
  cli: ['mock-provider', 'options', 'authorization-server', ...WIRE, ...LEAVES],
};

/** Imports of types only, against the direction of the modules. */
const MAY_IMPORT_TYPES: Readonly<Record<string, readonly string[]>> = {
  'token-vault': ['lib/resource-api/profile.ts'],
  'mock-provider/server': ['lib/mock-provider/provider-instance.ts'],
};

const MAY_IMPORT_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'authorization-server': ['openid-client'],
  cookies: ['cookie'],
  express: ['express'],
  passport: ['passport', 'passport-oauth2'],
};

function moduleOf(file: string): string {
  return /^lib\/(mock-provider\/[^/.]+(?=\/)|[^/.]+)/.exec(file)?.[1] ?? file;
}

/** The folders of the mock provider are one module for the rest of lib/. */
function moduleFor(importing: string, target: string): string {
  const module = moduleOf(target);
  return importing.startsWith('mock-provider') ? module : module.replace(/^mock-provider\/.*/, 'mock-provider');
}

function violationOf(one: Import): string | undefined {
  const module = moduleOf(one.file);
  const mayImport = MAY_IMPORT[module];
  if (!mayImport) return `${one.file}: add the module "${module}" to test/architecture/import-rules.ts`;
  const target = ownTarget(one);
  if (target) {
    const other = moduleFor(module, target);
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
