import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from './imports.js';
import type { Module } from './snippets.js';

const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { import: { types: string } }>;
};
/** Where the types of each entry are made, by the name that people import. */
const types = Object.entries(exports).flatMap(([entry, target]) =>
  typeof target === 'string'
    ? []
    : [[`passport-clinician${entry.slice(1)}`, [target.import.types.replace('./dist/esm/', './types/')]] as const],
);

/** What a person who copies a snippet has: the usual settings, and this package by its name. */
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
  { ending: /ts$/, tsconfig: { compilerOptions: { ...settings, strict: true }, include: ['*.mts', '*.cts'] } },
  {
    ending: /js$/,
    tsconfig: { compilerOptions: { ...settings, strict: false, checkJs: true }, include: ['*.mjs', '*.cjs'] },
  },
];

/** @returns what the compiler says. */
async function tsc(cwd: string, ...args: string[]): Promise<string> {
  const bin = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [bin, '--pretty', 'false', ...args], { cwd });
    return stdout;
  } catch (error) {
    return (error as { stdout?: string }).stdout ?? String(error);
  }
}

/** @returns what the compiler says of these modules, in a project of their own; an empty string when it is content. */
export async function compile(modules: readonly Module[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'snippets-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const { name, code } of modules) await writeFile(join(folder, name), code);
    // Types as they are published: a snippet's settings are not for the sources.
    let said = await tsc(root, '-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--outDir', join(folder, 'types'));
    for (const { ending, tsconfig } of languages) {
      if (!modules.some(({ name }) => ending.test(name))) continue;
      await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(tsconfig));
      said += await tsc(folder);
    }
    return said;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
