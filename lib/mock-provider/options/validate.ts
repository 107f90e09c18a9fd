import { closestName } from '../../errors/closest-name.js';
import type { Schema, TypeName } from './schema.js';

/** Identifies a value in an options object by the names of members and the indexes of elements. */
export type Path = readonly (string | number)[];

/**
 * Throws a TypeError for the first value that does not fit. Members that are undefined count as left out.
 * @param name what the value is called in a message, if `path` is empty
 * @param path where the value is in the options object of the call
 * @param word what a message calls a member: of JSON, it is not an option
 */
export function validate<T>(
  schema: Schema<T>,
  value: unknown,
  name: string,
  path: Path = [],
  word = 'option',
): asserts value is T {
  const fail = (phrase: string): never => {
    throw path.length === 0 ? new TypeError(`${name} ${phrase}`) : violationAt(path, phrase);
  };
  if (!hasType(schema, value)) fail(`must be ${expected(schema)}, not ${kindOf(value, schema)}.`);
  if (!fitsKeywords(schema, value))
    fail(`must be ${expected(schema)}, not ${shown(value, schema)}.${hint(schema, value)}`);
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries())
      if (schema.items) validate(schema.items as Schema<unknown>, item, name, [...path, index], word);
  } else if (typeof value === 'object' && value !== null) {
    validateMembers(schema, value as Readonly<Record<string, unknown>>, { name, path, word });
  }
  const violation = schema.check?.(value as T);
  if (violation !== undefined) fail(violation);
}

function validateMembers(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  { name, path, word }: { name: string; path: Path; word: string },
): void {
  const { properties = {}, required = [], additionalProperties, minProperties = 0 } = schema;
  const where = path.length === 0 ? name : pathText(path);
  const known = Object.keys(properties);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  for (const [member, own] of members) {
    if (Object.hasOwn(properties, member)) {
      validate(properties[member] as Schema<unknown>, own, name, [...path, member], word);
    } else if (additionalProperties === false) {
      const closest = closestName(member, known);
      const fix = closest === undefined ? `The ${word}s are: ${known.join(', ')}.` : `Did you mean ${closest}?`;
      throw new TypeError(`${where} has no ${word} ${quoted(member)}. ${known.length === 0 ? 'It has none.' : fix}`);
    }
  }
  for (const member of required) {
    if (value[member] !== undefined) continue;
    const type = expected(properties[member] ?? {});
    throw new TypeError(`${where} needs the ${word} ${quoted(member)}, which must be ${type}.`);
  }
  if (members.length < minProperties) throw new TypeError(`${where} needs one of: ${known.join(', ')}.`);
}

/** @returns an object's members with the defaults of its schema, and those of the objects in it. */
export function withDefaults<T extends object>(schema: Schema<T>, value: T): T {
  const result: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const member = (value as Record<string, unknown>)[name] ?? property.default;
    if (member !== undefined)
      result[name] =
        property.properties && typeof member === 'object' ? withDefaults(property, member as object) : member;
  }
  return result as T;
}

/** @returns the error for a value at a path. @param phrase what is wrong: `must be ...` */
export function violationAt(path: Path, phrase: string): TypeError {
  return new TypeError(`${pathText(path)} ${phrase}`);
}

/** @returns a path as JavaScript writes it: `clients[0].flow`. */
function pathText(path: Path): string {
  return path
    .map((step, index) => (typeof step === 'number' ? `[${step}]` : `${index === 0 ? '' : '.'}${step}`))
    .join('');
}

/** @returns a text in double quotes for a message, at most 100 characters of it, without the user and the password of a URL. */
export function quoted(value: string): string {
  return JSON.stringify(value.replace(/:\/\/.*@/s, '://...@').slice(0, 100));
}

function hasType({ type }: Schema, value: unknown): boolean {
  return type === undefined || [type].flat().some((one) => TYPES[one].test(value));
}

function fitsKeywords(
  { enum: values, minimum, maximum, minLength = 0, minItems = 0 }: Schema,
  value: unknown,
): boolean {
  if (values !== undefined && !values.includes(value)) return false;
  if (typeof value === 'number') return value >= (minimum ?? value) && value <= (maximum ?? value);
  if (typeof value === 'string') return value.length >= minLength;
  return !Array.isArray(value) || value.length >= minItems;
}

const TYPES: Readonly<Record<TypeName, { test(value: unknown): boolean; text: string }>> = {
  string: { test: (value) => typeof value === 'string', text: 'a string' },
  number: { test: (value) => typeof value === 'number', text: 'a number' },
  integer: { test: Number.isSafeInteger, text: 'a whole number' },
  boolean: { test: (value) => typeof value === 'boolean', text: 'true or false' },
  null: { test: (value) => value === null, text: 'null' },
  array: { test: Array.isArray, text: 'an array' },
  object: { test: (value) => typeof value === 'object' && value !== null && !Array.isArray(value), text: 'an object' },
};

function expected({ expects, enum: values, type = [], minimum, maximum }: Schema): string {
  if (expects !== undefined) return expects;
  if (values !== undefined) return alternatives(values.map((value) => `'${value}'`));
  const types = alternatives([type].flat().map((one) => TYPES[one].text));
  if (minimum === undefined) return types;
  return maximum === undefined ? `${types}, ${minimum} or more` : `${types} from ${minimum} to ${maximum}`;
}

function alternatives(texts: readonly string[]): string {
  return texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} or ${texts.at(-1)}`;
}

/** Describes a value of a wrong type for a message. Of a value that may be a secret, it names only the type. */
function kindOf(value: unknown, { format }: Schema): string {
  const isPlain = value === null || value === undefined || typeof value === 'boolean';
  if (isPlain || (typeof value === 'number' && format !== 'password')) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function shown(value: unknown, { format }: Schema): string {
  if (Array.isArray(value)) return `${value.length === 0 ? 'an empty' : 'this'} array`;
  if (format === 'password' && value !== '') return 'this one';
  return typeof value === 'string' ? quoted(value) : String(value);
}

function hint({ enum: values }: Schema, value: unknown): string {
  const closest = values && typeof value === 'string' ? closestName(value, values.map(String)) : undefined;
  return closest === undefined ? '' : ` Did you mean ${closest}?`;
}
