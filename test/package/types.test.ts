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
  await installExpress4();
});
afterAll(() => projects?.remove());

async function link(modules: string, name: string, from: string): Promise<void> {
  await mkdir(dirname(join(modules, name)), { recursive: true });
  await symlink(from, join(modules, name));
}

/** Installs the same packages in another folder, with Express 4 and its types. */
async function installExpress4(): Promise<void> {
  const modules = projects.folder('express-4/node_modules');
  const installed = join(root, 'node_modules');
  const types = (await readdir(join(installed, '@types'))).filter((name) => !/^express(?:-4|-serve.*)?$/.test(name));
  for (const name of types) await link(modules, `@types/${name}`, join(installed, '@types', name));
  for (const name of ['form-data', 'undici-types']) await link(modules, name, join(installed, name));
  for (const name of ['express', '@types/express']) await link(modules, name, join(installed, `${name}-4`));
  await link(modules, 'passport-clinician', projects.folder('node_modules/passport-clinician'));
}

const RESOLUTIONS = {
  // Every file as an ES module and as CommonJS.
  nodenext: { module: 'nodenext', extensions: ['mts', 'cts'] },
  node16: { module: 'node16', extensions: ['mts', 'cts'] },
  bundler: { module: 'esnext', moduleResolution: 'bundler', extensions: ['ts'] },
  node10: { module: 'commonjs', moduleResolution: 'node10', extensions: ['ts'] },
};

/** Compiles the site with strict settings, and checks all declarations that it uses. @returns the errors */
async function compile(compiler: string, resolution: keyof typeof RESOLUTIONS, version: 4 | 5): Promise<string> {
  const folder = version === 4 ? 'express-4' : 'typescript';
  const { extensions, ...modules } = RESOLUTIONS[resolution];
  const program = await readFile(projects.folder('typescript/site.ts'), 'utf8');
  const project = `${compiler}-${resolution}`;
  const files = extensions.map((extension) => `${project}/site.${extension}`);
  await mkdir(projects.folder(join(folder, project)), { recursive: true });
  for (const file of files) await writeFile(projects.folder(join(folder, file)), program);
  // A site may have the types of the Fetch API from Node or from the DOM.
  const lib = ['es2022', 'esnext.disposable', ...(compiler === 'typescript' ? [] : ['dom'])];
  const compilerOptions = {
    ...{ ...modules, target: 'es2022', lib, noEmit: true },
    ...{ strict: true, exactOptionalPropertyTypes: true, esModuleInterop: true },
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
  const modules = projects.folder('no-passport/node_modules');
  const installed = join(root, 'node_modules');
  const types = (await readdir(join(installed, '@types'))).filter((name) => !/^(?:passport.*|express-4)$/.test(name));
  for (const name of types) await link(modules, `@types/${name}`, join(installed, '@types', name));
  for (const name of ['form-data', 'undici-types']) await link(modules, name, join(installed, name));
  await link(modules, 'passport-clinician', projects.folder('node_modules/passport-clinician'));
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
  const compilerOptions = { module: 'nodenext', strict: true, noEmit: true, preserveSymlinks: true };
  await writeFile(projects.folder('no-passport/site.mts'), program);
  const config = { compilerOptions: { ...compilerOptions, types: ['node'] }, files: ['site.mts'] };
  await writeFile(projects.folder('no-passport/tsconfig.json'), JSON.stringify(config));
  expect(await projects.bin('no-passport', 'typescript/bin/tsc')).toBe('');
});

// Each compiler, each resolution and each version of Express, not each combination of them.
test.each([
  ['typescript', 'nodenext', 5],
  ['typescript', 'nodenext', 4],
  ['typescript-6', 'bundler', 5],
  ['typescript-5.9', 'node10', 4],
  ['typescript-5.4', 'node16', 5],
] as const)(
  '%s with module resolution %s and Express %i accepts a site',
  async (compiler, resolution, version) => {
    expect(await compile(compiler, resolution, version)).toBe('');
  },
  TIMEOUT_MS,
);
