import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from '@swc/core';
import { root } from '../architecture/imports.js';
import { cell } from './generated-document.js';

type Node = Record<string, unknown> & { type?: string };

/** The values that test.each and templates insert into a title. */
const INSERTED = /%[sdijfopc#%]|\$\w+/g;

/**
 * Reads a reference to a test: its file below test/ without `.test.ts`, a colon, and the full name of the test. A file that other
 * test files call is named with `.ts`.
 *
 * @returns the path of the file, and the full name of the test
 */
export function readReference(reference: string): { file: string; name: string } {
  const end = reference.indexOf(': ');
  const path = reference.slice(0, end);
  return { file: `test/${path.endsWith('.ts') ? path : `${path}.test.ts`}`, name: reference.slice(end + 2) };
}

/** @returns a link to a test for a document in a folder of docs/. Values that the test inserts into its title are dots. */
export function testLink(reference: string): string {
  const { file, name } = readReference(reference);
  return `[${cell(name.replaceAll(/%[a-z]|\$\w+/g, '...'))}](../../${file})`;
}

/** @returns what is wrong with a reference to a test, or undefined. */
export function referenceProblem(reference: string): string | undefined {
  const { file, name } = readReference(reference);
  if (!existsSync(join(root, file))) return `${file} does not exist`;
  const source = readFileSync(join(root, file), 'utf8');
  return namesIn(file, source).some((title) => title === name || isCaseOf(title, name, source))
    ? undefined
    : `${file} has no test "${name}": if it was renamed, change the reference too`;
}

/** @returns whether a name is a title with its inserted values, which the source contains. */
function isCaseOf(title: string, name: string, source: string): boolean {
  const literals = title.split(INSERTED);
  if (literals.length === 1) return false;
  const pattern = literals.map((text) => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.+)');
  const values = new RegExp(`^${pattern}$`).exec(name)?.slice(1);
  return values?.every((value) => source.includes(value.replaceAll(/^"|"$/g, ''))) ?? false;
}

const cache = new Map<string, readonly string[]>();

/** @returns the full names of the tests in a file: titles of describe() and test(), joined by spaces as jest does. */
function namesIn(file: string, source: string): readonly string[] {
  const names = cache.get(file) ?? testNames(parseSync(source, { syntax: 'typescript' }) as unknown as Node, []);
  cache.set(file, names);
  return names;
}

function testNames(node: unknown, titles: readonly string[]): string[] {
  if (typeof node !== 'object' || node === null) return [];
  const { type, callee, arguments: values } = node as Node;
  const kind = type === 'CallExpression' ? baseName(callee) : undefined;
  if (kind === 'describe' || kind === 'test') {
    const [title, body] = (values as { expression: Node }[]).map(({ expression }) => expression);
    const text = title && titleText(title);
    if (text !== undefined) {
      const path = [...titles, text];
      return kind === 'test' ? [path.join(' ')] : testNames(body, path);
    }
  }
  return Object.values(node).flatMap((child) => testNames(child, titles));
}

/** @returns the name of the function in `test()` and `test.each()()`; none for a test that never runs. */
function baseName(callee: unknown): string | undefined {
  const { type, value, object, callee: inner, property } = callee as Node;
  if (/^(skip|todo)$/.test(String((property as Node | undefined)?.value))) return undefined;
  if (type === 'Identifier') return value as string;
  return object || inner ? baseName(object ?? inner) : undefined;
}

function titleText({ type, value, quasis }: Node): string | undefined {
  if (type === 'StringLiteral') return value as string;
  if (type !== 'TemplateLiteral') return undefined;
  return (quasis as { cooked: string }[]).map(({ cooked }) => cooked).join('%s');
}
