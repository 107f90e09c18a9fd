import { closestName } from '../../errors/closest-name.js';
import { isObject, phraseOf, type Schema } from '../../schema.js';

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
  if (!schema.isValid(value)) fail(`must be ${schema.type}, not ${shown(value, schema)}.${hint(schema, value)}`);
  if (schema.items && Array.isArray(value)) {
    for (const [index, item] of value.entries())
      validate(schema.items as Schema<unknown>, item, name, [...path, index], word);
  } else if (schema.members && isObject(value)) {
    validateMembers(schema.members, value, { name, path, word });
  }
  const problem = schema.check?.(value as T);
  if (problem) fail(phraseOf(problem));
}

function validateMembers(
  members: Readonly<Record<string, Schema<unknown>>>,
  value: Readonly<Record<string, unknown>>,
  { name, path, word }: { name: string; path: Path; word: string },
): void {
  const where = path.length === 0 ? name : pathText(path);
  const known = Object.keys(members);
  for (const [member, own] of Object.entries(value)) {
    if (own === undefined) continue;
    if (Object.hasOwn(members, member)) {
      validate(members[member] as Schema<unknown>, own, name, [...path, member], word);
    } else {
      const closest = closestName(member, known);
      const fix = closest === undefined ? `The ${word}s are: ${known.join(', ')}.` : `Did you mean ${closest}?`;
      throw new TypeError(`${where} has no ${word} ${quoted(member)}. ${known.length === 0 ? 'It has none.' : fix}`);
    }
  }
  for (const [member, { whenMissing, type }] of Object.entries(members)) {
    if (whenMissing === undefined || value[member] !== undefined) continue;
    throw new TypeError(`${where} needs the ${word} ${quoted(member)}, which must be ${type}.`);
  }
}

/** @returns an object's members with the defaults of its schema, and those of the objects in it. */
export function withDefaults<T extends object>(schema: Schema<T>, value: T): T {
  const result: Record<string, unknown> = {};
  for (const [name, own] of Object.entries(schema.members ?? {})) {
    const member = (value as Record<string, unknown>)[name] ?? own.default;
    if (member !== undefined) result[name] = own.members && isObject(member) ? withDefaults(own, member) : member;
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

/** Describes a wrong value for a message: a number, or one of few texts. Of any other, which may be a secret, it names the type. */
function shown(value: unknown, { isSecret, values, items }: Schema): string {
  if (Array.isArray(value)) return items && value.length === 0 ? 'an empty array' : 'an array';
  if (typeof value === 'string') return value === '' || values ? quoted(value) : 'a string';
  if (typeof value === 'number') return isSecret ? 'a number' : String(value);
  return value === null || value === undefined || typeof value === 'boolean'
    ? String(value)
    : typeof value === 'object'
      ? 'an object'
      : `a ${typeof value}`;
}

function hint({ values }: Schema, value: unknown): string {
  const closest = values && typeof value === 'string' ? closestName(value, values.map(String)) : undefined;
  return closest === undefined ? '' : ` Did you mean ${closest}?`;
}
