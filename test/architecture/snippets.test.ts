import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { pages } from '../documents.js';
import { entrySources, root } from './imports.js';
import { type Module, modulesOf, type Snippet, snippetsOf } from './snippets.js';

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
async function compile(modules: readonly Module[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'snippets-'));
  try {
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
    for (const { name, code } of modules) await writeFile(join(folder, name), code);
    // The published types: the settings of a snippet do not apply to the sources.
    const declarations = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--noCheck'];
    let output = await tsc(root, ...declarations, '--outDir', join(folder, 'types'));
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

const snippets = pages.flatMap((file) => snippetsOf(file, readFileSync(join(root, file), 'utf8')));
/** The compiler takes seconds on an idle machine. */
const COMPILE_TIMEOUT_MS = 120_000;

const scripts = (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: Record<string, string> })
  .scripts;

function isJSON(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** @returns the npm scripts of a snippet that package.json does not have. */
function missingScripts({ code }: Snippet): string[] {
  const runs = [...code.matchAll(/\bnpm (?:run )?([\w:-]+)/g)].map((match) => match[1] ?? '');
  const own = /^(?:i|install|ci|cit|init|pack|publish|exec|view|create|pkg|uninstall|update|link|run)$/;
  return runs.filter((name) => !own.test(name) && !(name in scripts));
}

describe('the documents', () => {
  test(
    'every block of TypeScript and JavaScript compiles',
    async () => {
      expect(snippets.length).toBeGreaterThan(0);
      const modules = pages.flatMap((file) => modulesOf(snippets.filter((one) => one.file === file)));
      expect(await compile(modules)).toBe('');
    },
    COMPILE_TIMEOUT_MS,
  );

  test('every block of JSON is valid, and every npm script exists', () => {
    expect(snippets.filter(({ language, code }) => language === 'json' && !isJSON(code))).toEqual([]);
    expect(
      snippets.filter(({ language }) => /^(?:sh|bash|shell|console)$/.test(language)).flatMap(missingScripts),
    ).toEqual([]);
  });
});
