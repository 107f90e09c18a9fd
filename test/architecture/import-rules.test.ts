import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { brokenWalls, circle, packagesLoadedBy } from './import-rules.js';
import { foreignPackage, importsIn, importsOf, ownTarget, root, sources } from './imports.js';

const imports = importsIn('lib');
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  exports: Record<string, string | { require: { default: string } }>;
};

describe('the walls of the house', () => {
  test('every arrow goes down as drawn, and each package is used in its own room only', () => {
    expect(imports.length).toBeGreaterThan(0);
    expect(brokenWalls(imports)).toEqual([]);
  });

  test('no file imports itself by way of others', () => {
    expect(circle(imports)).toBeUndefined();
  });

  test('what is used at run time is a dependency, not a development dependency', () => {
    const used = imports.filter((one) => !one.typeOnly).map(foreignPackage);
    const undeclared = used.filter((name) => name !== undefined && !(name in manifest.dependencies));
    expect(undeclared).toEqual([]);
  });

  test.each(['mock-provider', 'testing'])('the entry %s loads no package at all', (room) => {
    const entry = `lib/${room}/${room}.ts`;
    expect(sources('lib')).toContain(entry);
    expect(packagesLoadedBy(entry, imports)).toEqual([]);
  });

  test('no room has a barrel: a file that only hands on, unless it is an entry of the package', () => {
    const entries = Object.values(manifest.exports).map((target) =>
      typeof target === 'string'
        ? target
        : target.require.default.replace('./dist/cjs/', 'lib/').replace(/\.js$/, '.ts'),
    );
    expect(sources('lib').filter((file) => !entries.includes(file) && isBarrel(file))).toEqual([]);
  });

  test('the reference site uses the package as anybody would, by its name', () => {
    const inside = importsIn('example-app').filter((one) => ownTarget(one)?.startsWith('lib/'));
    expect(inside).toEqual([]);
  });
});

function isBarrel(file: string): boolean {
  const statements = readFileSync(join(root, file), 'utf8')
    .replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return statements.every((statement) => /^export\s+(type\s+)?[{*][\s\S]*\sfrom\s/.test(statement));
}

describe('the walls would be seen to break', () => {
  const planted = (file: string, code: string): string[] => brokenWalls(importsOf(file, code));

  test.each([
    ['lib/passport/strategy.ts', "import { x } from 'openid-client'"],
    ['lib/passport/strategy.ts', "export { x } from '../clinician-login.js'"],
    ['lib/authorization-server/flows.ts', "import type { Request } from 'express'"],
    ['lib/mock-provider/server/app.ts', "import { systemClock } from '../../clock.js'"],
    ['lib/mock-provider/server/app.ts', "type Fetch = import('../../http.js').Fetch"],
    ['lib/mock-provider/protocol/id-token.ts', "import type { FaultName } from '../faults/fault.js'"],
    ['lib/clinician-login.ts', "const mock = await import('./mock-provider/mock-provider.js')"],
    ['lib/token-vault/token-vault.ts', "import { openedTokenSet } from '../authorization-server/token-set.js'"],
    ['lib/errors.ts', "import { systemClock } from './clock.js'"],
    ['lib/attic/box.ts', "import './other.js'"],
  ])('%s with `%s`', (file, code) => {
    expect(planted(file, code)).toHaveLength(1);
  });

  test('a type may cross where the design draws a dotted arrow', () => {
    const code = "import type { TokenSet } from '../authorization-server/token-set.js'";
    expect(planted('lib/token-vault/token-vault.ts', code)).toEqual([]);
  });

  test('a circle of three', () => {
    const files = { a: 'b', b: 'c', c: 'a' };
    const round = Object.entries(files).flatMap(([from, to]) =>
      importsOf(`lib/html/${from}.ts`, `import './${to}.js'`),
    );
    expect(circle(round)).toBe('lib/html/a.ts -> lib/html/b.ts -> lib/html/c.ts -> lib/html/a.ts');
  });

  test('a package that is loaded by way of another file', () => {
    const two = [
      ...importsOf('lib/testing/testing.ts', "import './agent.js'; import type { T } from 'typed'"),
      ...importsOf('lib/testing/agent.ts', "import request from 'supertest'"),
    ];
    expect(packagesLoadedBy('lib/testing/testing.ts', two)).toEqual(['supertest']);
  });
});
