import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { entrySources, root } from './imports.js';
import type { Module } from './snippets.js';

/** The type declarations of each entry, by its import specifier. */
const types = Object.entries(entrySources).map(
  ([name, source]) => [name, [source.replace('lib/', './types/').replace(/\.ts$/, '.d.ts')]] as const,
);

/** The settings of a project that a snippet is copied to, with this package by its name. */
const settings = {
  target: 'es2023',
  lib: ['es2023', 'dom'],
  module: 'nodenext',
  skipLibCheck: true,
  noEmit: true,
  types: ['node'],
  moduleDetection: 'force',
  paths: Object.fromEntries(types),
};

const languages = [
  { extension: /ts$/, tsconfig: { compilerOptions: { ...settings, strict: true }, include: ['*.mts', '*.cts'] } },
  {
    extension: /js$/,
    tsconfig: { compilerOptions: { ...settings, strict: false, checkJs: true }, include: ['*.mjs', '*.cjs'] },
  },
];

/** @returns the output of the compiler. */
async function tsc(cwd: string, ...args: string[]): Promise<string> {
  const bin = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [bin, '--pretty', 'false', ...args], { cwd });
    return stdout;
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? String(error);
  }
}

/** @returns the errors of the compiler for these modules, in a separate project; an empty string when there are none. */
export async function compile(modules: readonly Module[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'snippets-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const { name, code } of modules) await writeFile(join(folder, name), code);
    // The published types: the settings of a snippet do not apply to the sources.
    let output = await tsc(
      root,
      '-p',
      'tsconfig.build.json',
      '--emitDeclarationOnly',
      '--noCheck',
      '--outDir',
      join(folder, 'types'),
    );
    for (const { extension, tsconfig } of languages) {
      if (!modules.some(({ name }) => extension.test(name))) continue;
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
      output += await tsc(folder);
    }
    return output;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
