import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { fileCycle, moduleCycle, packagesLoadedBy, violations } from './import-rules.js';
import { entrySources, exportsOf, foreignPackage, importsIn, importsOf, ownTarget, root, sources } from './imports.js';

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

  test('no file only re-exports others, except the entries of the package and what it copies of openid-client', () => {
    const expected = [...entries, 'lib/authorization-server/openid-client.ts'];
    expect(sources('lib').filter((file) => !expected.includes(file) && isBarrel(file))).toEqual([]);
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

function isBarrel(file: string): boolean {
  const statements = readWithoutComments(file)
    .split(';')
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '');
  return statements.every((statement) => /^export\s+(type\s+)?[{*][\s\S]*\sfrom\s/.test(statement));
}

describe('violations are detected', () => {
  const planted = (file: string, code: string): string[] => violations(importsOf(file, code));

  test.each([
    ['lib/passport/strategy.ts', "import { x } from 'openid-client'"],
    ['lib/passport/strategy.ts', "export { x } from '../clinician-login.js'"],
    ['lib/authorization-server/flows.ts', "import type { Request } from 'express'"],
    ['lib/mock-provider/server/app.ts', "import { systemClock } from '../../async/clock.js'"],
    ['lib/mock-provider/server/app.ts', "type Fetch = import('../../http/http.js').Fetch"],
    ['lib/mock-provider/protocol/id-token.ts', "import type { FaultName } from '../faults/fault.js'"],
    ['lib/mock-provider/protocol/id-token.ts', "import { MASK } from '../recording/recorder.js'"],
    ['lib/mock-provider/state/grants.ts', "import type { Refusal } from '../protocol/refusal.js'"],
    ['lib/mock-provider/endpoints/token.ts', "import type { ProviderInstance } from '../provider-instance.js'"],
    ['lib/mock-provider/http/request.ts', "import { GrantStore } from '../state/grants.js'"],
    ['lib/clinician-login.ts', "const mock = await import('./mock-provider/mock-provider.js')"],
    ['lib/token-vault/token-vault.ts', "import type { Revocations } from '../session/revocations.js'"],
    ['lib/testing/testing.ts', "import { wrapStoreErrors } from '../token-vault/token-store.js'"],
    ['lib/errors/errors.ts', "import { systemClock } from '../async/clock.js'"],
    ['lib/mock-provider/server/app.ts', "import { DeniedError } from '../../errors/errors.js'"],
    ['lib/unknown/box.ts', "import './other.js'"],
    ['lib/session/tokens.ts', "import type { Attempt } from '../sign-in/attempts.js'"],
    ['lib/sign-in/attempts.ts', "import { redirect } from '../express/responses.js'"],
    ['lib/express/paths.ts', "import { ClinicianStrategy } from '../passport/strategy.js'"],
    ['lib/session/site-session.ts', "import type { Request } from 'express'"],
  ])('%s with `%s`', (file, code) => {
    expect(planted(file, code)).toHaveLength(1);
  });

  test('the helpers for tests of a site may import the type of a token store', () => {
    const code = "import type { TokenStore } from '../token-vault/token-store.js'";
    expect(planted('lib/testing/testing.ts', code)).toEqual([]);
  });

  test('a cycle of three files', () => {
    const files = { a: 'b', b: 'c', c: 'a' };
    const cyclic = Object.entries(files).flatMap(([from, to]) =>
      importsOf(`lib/html/${from}.ts`, `import './${to}.js'`),
    );
    expect(fileCycle(cyclic)).toBe('lib/html/a.ts -> lib/html/b.ts -> lib/html/c.ts -> lib/html/a.ts');
  });

  test('a package that is loaded through another file', () => {
    const two = [
      ...importsOf('lib/testing/testing.ts', "import './agent.js'; import type { T } from 'typed'"),
      ...importsOf('lib/testing/agent.ts', "import request from 'supertest'"),
    ];
    expect(packagesLoadedBy('lib/testing/testing.ts', two)).toEqual(['supertest']);
  });
});

describe('the names of the entries', () => {
  /** The mock shares no code with the relying party, so that it has its own type of the same two flows. */
  const SAME_MEANING = ['FlowName'];

  test('a name that two entries export has one declaration', () => {
    const files = new Map<string, string[]>();
    for (const entry of entries) {
      for (const [name, file] of exportsOf(entry)) files.set(name, [...(files.get(name) ?? []), file]);
    }
    expect(files.size).toBeGreaterThan(80);
    const clashes = [...files].filter(([name, each]) => new Set(each).size > 1 && !SAME_MEANING.includes(name));
    expect(clashes).toEqual([]);
  });
});
