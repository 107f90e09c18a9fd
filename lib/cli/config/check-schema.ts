import { closestName } from '../../mock-provider/options/option-check.js';
import { type JSONValue, pathTo } from './json-text.js';
import type { Schema } from './schema.js';

/** What is wrong with a value of the config file: at its name or at the value itself. */
export class SchemaError extends Error {
  readonly path: string;
  readonly at: 'name' | 'value';

  constructor(path: string, at: 'name' | 'value', sentence: string) {
    super(sentence);
    this.path = path;
    this.at = at;
  }
}

/** Throws a {@link SchemaError} for the first value that is none of its shape. It never repeats a value: some are secrets. */
export function checkSchema(value: JSONValue, shape: Schema, path = ''): void {
  const where = path === '' ? 'The config file' : path;
  if (shape.each) {
    if (!Array.isArray(value)) throw wrongKind(path, where, shape, value);
    for (const [index, one] of value.entries()) checkSchema(one as JSONValue, shape.each, pathTo(path, index));
  } else if (shape.members) {
    if (kindOf(value) !== 'an object') throw wrongKind(path, where, shape, value);
    checkMembers(value as Readonly<Record<string, JSONValue>>, shape, path, where);
  } else if (!shape.fits?.(value)) {
    throw wrongKind(path, where, shape, value);
  }
}

function checkMembers(value: Readonly<Record<string, JSONValue>>, shape: Schema, path: string, where: string): void {
  const { members = {}, required = [] } = shape;
  for (const [name, one] of Object.entries(value)) {
    const inner = Object.hasOwn(members, name) ? members[name] : undefined;
    if (inner === undefined) throw unknownName(pathTo(path, name), where, name, Object.keys(members));
    checkSchema(one, inner, pathTo(path, name));
  }
  const missing = required.find((name) => !Object.hasOwn(value, name));
  if (missing !== undefined) throw new SchemaError(path, 'value', `${where} needs "${missing}".`);
}

function unknownName(path: string, where: string, name: string, known: readonly string[]): SchemaError {
  const meant = closestName(name, known);
  const fix = meant === undefined ? `Known are: ${known.join(', ')}.` : `Did you mean "${meant}"?`;
  return new SchemaError(path, 'name', `${where} has no "${name}". ${fix}`);
}

function wrongKind(path: string, where: string, { words }: Schema, value: JSONValue): SchemaError {
  return new SchemaError(path, 'value', `${where} must be ${words}, not ${kindOf(value)}.`);
}

function kindOf(value: JSONValue): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return { string: 'a text', number: 'a number', boolean: String(value) }[typeof value as string] ?? 'an object';
}
