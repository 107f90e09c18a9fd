import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { root } from '../architecture/imports.js';
import { type Projects, packedProjects } from './packed.js';

/** A compiler needs ten seconds of processor time. */
const TIMEOUT_MS = 300_000;

let projects: Projects;
beforeAll(async () => {
  projects = await packedProjects();
  await linkInstalled('express-4', 4, () => true);
});
afterAll(() => projects?.remove());

async function link(modules: string, name: string, from: string): Promise<void> {
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(from, join(modules, name));
}

/** Installs this package, a version of Express and the packages of types in a folder. @param isIncluded of the other types */
async function linkInstalled(folder: string, version: number, isIncluded: (name: string) => boolean): Promise<void> {
  const modules = projects.folder(`${folder}/node_modules`);
  const installed = join(root, 'node_modules');
  const isUsed = (name: string) => isIncluded(name) && !/^express(?:-4)?$/.test(name);
  const types = (await readdir(join(installed, '@types'))).filter(
    (name) => isUsed(name) && !(version === 4 && name.startsWith('express-serve')),
  );
  for (const name of types) await link(modules, `@types/${name}`, join(installed, '@types', name));
  for (const name of ['form-data', 'undici-types']) await link(modules, name, join(installed, name));
  const suffix = version === 4 ? '-4' : '';
  for (const name of ['express', '@types/express']) await link(modules, name, join(installed, `${name}${suffix}`));
  await link(modules, 'passport-clinician', projects.folder('node_modules/passport-clinician'));
}

/** Every setting of the compiler that refuses more programs. */
const STRICT = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true },
  ...{ noPropertyAccessFromIndexSignature: true, noImplicitOverride: true, noImplicitReturns: true },
  ...{ noFallthroughCasesInSwitch: true, allowUnreachableCode: false, allowUnusedLabels: false },
  ...{ noUnusedLocals: true, noUnusedParameters: true, isolatedModules: true, forceConsistentCasingInFileNames: true },
};
/** Those that TypeScript 4.9 does not have. */
const STRICT_SINCE_5_8 = {
  ...{ noUncheckedSideEffectImports: true, erasableSyntaxOnly: true },
  ...{ isolatedDeclarations: true, declaration: true },
};

const RESOLUTIONS = {
  // Every file as an ES module and as CommonJS.
  nodenext: { module: 'nodenext', extensions: ['mts', 'cts'] },
  node16: { module: 'node16', extensions: ['mts', 'cts'] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', verbatimModuleSyntax: true, extensions: ['ts'] },
  node10: { module: 'commonjs', moduleResolution: 'node10', extensions: ['ts'] },
};

interface Compilation {
  compiler: string;
  resolution: keyof typeof RESOLUTIONS;
  version?: 4 | 5;
  program: string;
}

/** Compiles a program with strict settings, and checks all declarations that it uses. @returns the errors */
async function compile({ compiler, resolution, version = 5, program }: Compilation): Promise<string> {
  const folder = version === 4 ? 'express-4' : 'typescript';
  const { extensions, ...modules } = RESOLUTIONS[resolution];
  const project = `${compiler}-${resolution}`;
  const files = extensions.map((extension) => `${project}/site.${extension}`);
  await mkdir(projects.folder(join(folder, project)), { recursive: true });
  for (const file of files) await writeFile(projects.folder(join(folder, file)), program);
  // A site may have the types of the Fetch API from Node or from the DOM.
  const isOldest = compiler === 'typescript-4.9';
  const lib = ['es2022', ...(isOldest ? [] : ['esnext.disposable']), ...(compiler === 'typescript' ? [] : ['dom'])];
  const compilerOptions = {
    ...{ ...modules, target: 'es2022', lib, noEmit: true },
    ...STRICT,
    ...(!isOldest && STRICT_SINCE_5_8),
    esModuleInterop: true,
    // All declarations are checked, except those of TypeScript itself, which take a third of the time.
    ...{ skipLibCheck: false, skipDefaultLibCheck: true },
    ...{ types: ['node'], preserveSymlinks: version === 4 },
  };
  const config = `tsconfig.${project}.json`;
  await writeFile(projects.folder(join(folder, config)), JSON.stringify({ compilerOptions, files }));
  return await projects.bin(folder, `${compiler}/bin/tsc`, '-p', config);
}

test('a project without Express, Passport and their types accepts the declarations', async () => {
  const modules = projects.folder('no-express/node_modules');
  for (const name of ['@types/node', 'undici-types']) await link(modules, name, join(root, 'node_modules', name));
  await link(modules, 'passport-clinician', projects.folder('node_modules/passport-clinician'));
  const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, preserveSymlinks: true };
  const files = ['site.mts', 'site.cts'];
  for (const file of files) {
    await writeFile(projects.folder(`no-express/${file}`), "export { clinicianLogin } from 'passport-clinician';\n");
  }
  await writeFile(projects.folder('no-express/tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  expect(await projects.bin('no-express', 'typescript/bin/tsc')).toBe('');
});

test('a project without the types of Passport has a typed req.user', async () => {
  const folder = 'no-passport';
  await linkInstalled(folder, 5, (name) => !name.startsWith('passport'));
  const program = `import type { Request } from 'express';
import 'passport-clinician';
declare global {
  namespace Express {
    interface User {
      id: string;
    }
  }
}
export const idOf = (req: Request): string | undefined => req.user?.id;
// @ts-expect-error the site's own users have no such member
export const nameOf = (req: Request): unknown => req.user?.name;
`;
  const compilerOptions = { ...STRICT, module: 'nodenext', noEmit: true, preserveSymlinks: true, types: ['node'] };
  await writeFile(projects.folder(`${folder}/site.mts`), program);
  await writeFile(projects.folder(`${folder}/tsconfig.json`), JSON.stringify({ compilerOptions, files: ['site.mts'] }));
  expect(await projects.bin(folder, 'typescript/bin/tsc')).toBe('');
});

// Each compiler, each resolution and each version of Express, not each combination of them.
test.each([
  ['typescript', 'nodenext', 5],
  ['typescript-5.9', 'node10', 4],
  ['typescript-4.9', 'node16', 5],
] as const)(
  '%s with module resolution %s and Express %i accepts a site',
  async (compiler, resolution, version) => {
    const program = await readFile(projects.folder('typescript/site.ts'), 'utf8');
    expect(await compile({ compiler, resolution, version, program })).toBe('');
  },
  TIMEOUT_MS,
);
