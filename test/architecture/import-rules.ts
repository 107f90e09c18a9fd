import { foreignPackage, type Import, ownTarget } from './imports.js';

// The modules of the design, each with the modules below it that it may use. A file in lib/ itself is a module.
const LEAVES = ['error-codes', 'errors', 'scope', 'clock', 'secret', 'json', 'with-timeout', 'bounded-map'];
const WIRE = ['url', 'http'];
const SERVICES = ['authorization-server', 'token-vault', 'resource-api', 'html', 'events'];
const BELOW_EXPRESS = ['options', 'session', 'sign-in', 'cookies', ...SERVICES, ...WIRE, ...LEAVES];

const MAY_USE: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(LEAVES.map((leaf) => [leaf, []])),
  errors: ['error-codes'],
  url: LEAVES,
  http: ['url', ...LEAVES],
  'authorization-server': [...WIRE, ...LEAVES],
  'token-vault': ['resource-api', ...LEAVES],
  'resource-api': [...WIRE, ...LEAVES],
  html: LEAVES,
  events: ['authorization-server', ...LEAVES],
  cookies: ['token-vault', ...LEAVES],
  options: [...SERVICES, ...WIRE, ...LEAVES],
  session: ['options', 'sign-in', 'cookies', ...SERVICES, ...WIRE, ...LEAVES],
  'sign-in': ['options', 'session', 'express', 'cookies', ...SERVICES, ...WIRE, ...LEAVES],
  passport: BELOW_EXPRESS,
  express: ['passport', ...BELOW_EXPRESS],
  'clinician-login': ['express', 'passport', ...BELOW_EXPRESS],
  index: ['clinician-login', 'express', 'passport', ...BELOW_EXPRESS],
  redis: ['token-vault', ...LEAVES],
  'mock-provider': [],
  testing: ['mock-provider'],
  cli: ['mock-provider', 'options', 'authorization-server', ...WIRE, ...LEAVES],
};

/** Arrows that carry types alone. */
const MAY_USE_TYPES: Readonly<Record<string, readonly string[]>> = {
  'token-vault': ['lib/authorization-server/token-set.ts'],
};

const MAY_USE_PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'authorization-server': ['openid-client'],
  express: ['express', 'express-serve-static-core', 'express-session'],
  cookies: ['cookie'],
  session: ['express', 'express-session'],
  'sign-in': ['express'],
  passport: ['express', 'passport', 'passport-oauth2'],
};

/** Modules of the mock provider that behave alike whether or not a fault is queued. */
const UNAWARE_OF_FAULTS =
  /^lib\/mock-provider\/(http|state|pages|protocol|endpoints|interactions|resource-api|recording)\//;
const FAULTS = 'lib/mock-provider/faults/';

function roomOf(file: string): string {
  return /^lib\/([^/.]+)/.exec(file)?.[1] ?? file;
}

function wallBroken(one: Import): string | undefined {
  const room = roomOf(one.file);
  const mayUse = MAY_USE[room];
  if (!mayUse) return `${one.file}: the room "${room}" is not drawn in test/architecture/import-rules.ts`;
  const target = ownTarget(one);
  if (target) {
    const other = roomOf(target);
    if (target.startsWith(FAULTS) && UNAWARE_OF_FAULTS.test(one.file)) return `${one.file} must not use ${target}`;
    if (other === room && target.startsWith(`lib/${room}/`)) return undefined;
    if (mayUse.includes(other)) return undefined;
    if (one.typeOnly && MAY_USE_TYPES[room]?.includes(target)) return undefined;
    return `${one.file} must not use ${target}`;
  }
  const foreign = foreignPackage(one);
  if (!foreign || MAY_USE_PACKAGES[room]?.includes(foreign)) return undefined;
  return `${one.file} must not use the package ${foreign}`;
}

/** @returns a sentence for each import that goes through a wall. */
export function brokenWalls(imports: readonly Import[]): string[] {
  return imports.map(wallBroken).filter((sentence) => sentence !== undefined);
}

/** @returns one circle of files that import each other, types included, or undefined. */
export function circle(imports: readonly Import[]): string | undefined {
  const targets = new Map<string, string[]>();
  for (const one of imports) {
    const target = ownTarget(one);
    if (target) targets.set(one.file, [...(targets.get(one.file) ?? []), target]);
  }
  const done = new Set<string>();
  const walk = (file: string, path: readonly string[]): string | undefined => {
    if (path.includes(file)) return [...path.slice(path.indexOf(file)), file].join(' -> ');
    if (done.has(file)) return undefined;
    for (const target of targets.get(file) ?? []) {
      const found = walk(target, [...path, file]);
      if (found) return found;
    }
    done.add(file);
    return undefined;
  };
  for (const file of targets.keys()) {
    const found = walk(file, []);
    if (found) return found;
  }
  return undefined;
}

/** @returns every package that is loaded with an entry, its own files' imports followed. Types load nothing. */
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
