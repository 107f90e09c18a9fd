import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Declaration, parseSync } from '@swc/core';

/** The root folder of the repository. */
export const root: string = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const tsconfig = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
  compilerOptions: { paths: Record<string, [string]> };
};
/** The source of each entry of the package, by its import specifier: `{ 'passport-clinician': 'lib/index.ts' }`. */
export const entrySources: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(tsconfig.compilerOptions.paths)
    .filter(([name]) => name.startsWith('passport-clinician'))
    .map(([name, [file]]) => [name, file.replace('./', '')]),
);

/** One import, re-export, `import()` or `import('a')` type. */
export interface Import {
  /** The importing file, relative to the repository: `lib/passport/strategy.ts`. */
  file: string;
  specifier: string;
  /** True when it is erased at run time. */
  typeOnly: boolean;
}

interface Node {
  type?: string;
  typeOnly?: boolean;
  source?: { value: string } | null;
  argument?: { value: string };
  callee?: Node;
  arguments?: { expression: { type: string; value: string } }[];
  specifiers?: { isTypeOnly?: boolean }[];
}

function importOf(node: Node): Omit<Import, 'file'> | undefined {
  if (node.source && /^(Import|Export(Named|All))Declaration$/.test(node.type ?? '')) {
    const each = node.specifiers ?? [];
    const typeOnly = node.typeOnly === true || (each.length > 0 && each.every((one) => one.isTypeOnly === true));
    return { specifier: node.source.value, typeOnly };
  }
  if (node.type === 'TsImportType' && node.argument) return { specifier: node.argument.value, typeOnly: true };
  if (node.type === 'CallExpression' && node.callee?.type === 'Import') {
    const path = node.arguments?.[0]?.expression;
    return { specifier: path?.type === 'StringLiteral' ? path.value : '(computed)', typeOnly: false };
  }
  return undefined;
}

/** @returns every import of one file of TypeScript. */
function importsOf(file: string, code: string): Import[] {
  const found: Import[] = [];
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    const one = importOf(value as Node);
    if (one) found.push({ file, ...one });
    for (const inner of Object.values(value)) visit(inner);
  };
  visit(parseSync(code, { syntax: 'typescript', target: 'es2023' }).body);
  return found;
}

/** @returns each name that a file exports, with the file that it comes from. */
export function exportsOf(file: string): [name: string, from: string][] {
  const code = readFileSync(join(root, file), 'utf8');
  return parseSync(code, { syntax: 'typescript', target: 'es2023' }).body.flatMap((node) => {
    if (node.type === 'ExportDeclaration') return declaredNames(node.declaration).map((name) => [name, file]);
    if (node.type !== 'ExportNamedDeclaration') return [];
    const from = node.source ? (ownTarget({ file, specifier: node.source.value, typeOnly: false }) as string) : file;
    return node.specifiers.map((one): [string, string] => {
      if (one.type !== 'ExportSpecifier') throw new Error(`${file}: list each exported name`);
      return [(one.exported ?? one.orig).value, from];
    });
  });
}

function declaredNames(declaration: Declaration): string[] {
  if (declaration.type === 'VariableDeclaration') {
    return declaration.declarations.flatMap(({ id }) => (id.type === 'Identifier' ? [id.value] : []));
  }
  if ('identifier' in declaration) return [declaration.identifier.value];
  return 'id' in declaration ? [declaration.id.value] : [];
}

/** @returns the paths of all TypeScript files in a folder, relative to the repository. */
export function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .filter((file) => !/node_modules|build/.test(dirname(file)))
    .sort();
}

/** @returns every import in a folder of this repository. */
export function importsIn(folder: string): Import[] {
  return sources(folder).flatMap((file) => importsOf(file, readFileSync(join(root, file), 'utf8')));
}

/** @returns the file of this repository that is imported, or undefined for a package. */
export function ownTarget({ file, specifier }: Import): string | undefined {
  if (!specifier.startsWith('.')) return undefined;
  return posix.join(posix.dirname(file), specifier).replace(/\.js$/, '.ts');
}

/** @returns the package that is imported, or undefined for files of this repository and for Node's modules. */
export function foreignPackage({ specifier }: Import): string | undefined {
  if (specifier.startsWith('.') || specifier.startsWith('node:')) return undefined;
  return /^(@[^/]+\/)?[^/]+/.exec(specifier)?.[0];
}
