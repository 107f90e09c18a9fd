import { flag, isObject, type Schema, text } from '../../schema.js';

export const nonEmptyText: Schema<string> = {
  type: 'a string that is not empty',
  isValid: (value) => text.isValid(value) && value !== '',
};
/** Text that messages never show. */
export const secret: Schema<string> = { ...text, isSecret: true };
export const textOrNull: Schema<string | null> = {
  type: 'a string or null',
  isValid: (value) => value === null || text.isValid(value),
};
export const number: Schema<number> = { type: 'a number', isValid: (value) => typeof value === 'number' };
export const integer: Schema<number> = { type: 'a whole number', isValid: Number.isSafeInteger };

/** @returns the schema of a whole number from `minimum` to `maximum`. */
export function count(minimum = 0, maximum?: number): Schema<number> {
  const type =
    maximum === undefined ? `a whole number, ${minimum} or more` : `a whole number from ${minimum} to ${maximum}`;
  const isInRange = (value: number) => value >= minimum && value <= (maximum ?? value);
  return { type, isValid: (value) => Number.isSafeInteger(value) && isInRange(value as number) };
}

export function list<T>(items: Schema<T>): Schema<readonly T[]> {
  return { type: 'an array', isValid: Array.isArray, items };
}

/** A list of texts, whose message names the element that is none. */
export const textList: Schema<readonly string[]> = { ...list(text), type: 'an array of strings' };

/** @returns the schema of a list with at least one element. */
export function nonEmptyList<T>(items: Schema<T>): Schema<readonly T[]> {
  return { ...list(items), isValid: (value) => Array.isArray(value) && value.length > 0 };
}

/** The members that may be left out, or undefined, which JSON leaves out. */
type OptionalName<T> = { [Name in keyof T]-?: undefined extends T[Name] ? Name : never }[keyof T];
type Members<T, Name extends keyof T> = { readonly [N in Name]-?: Schema<Exclude<T[N], undefined>> };

/** @returns the schema of an object with these members and no others. The compiler reports a member that `T` has and this lacks. */
export function object<T>(
  required: Members<T, Exclude<keyof T, OptionalName<T>>>,
  optional: Members<T, OptionalName<T>>,
): Schema<T> {
  const schema = { type: 'an object', isValid: isObject, members: { ...required, ...optional } };
  return requiring(schema, Object.keys(required));
}

/** @returns an object's schema that requires these members too. */
export function requiring<T>(schema: Schema<T>, names: readonly string[]): Schema<T> {
  const members = { ...schema.members };
  for (const name of names) members[name] = { ...(members[name] as Schema), whenMissing: '' };
  return { ...schema, members };
}

/** @returns the schema of true or false, or of an object. */
export function flagOr<T>(schema: Schema<T>, type: string): Schema<boolean | T> {
  return { ...schema, type, isValid: (value) => flag.isValid(value) || isObject(value) } as Schema;
}

/** @returns an object's schema with only some of its members. */
export function pick<T, Name extends keyof T & string>(
  schema: Schema<T>,
  names: readonly Name[],
): Schema<Pick<T, Name>> {
  const picked = Object.entries(schema.members ?? {}).filter(([name]) => names.includes(name as Name));
  return { ...(schema as Schema), members: Object.fromEntries(picked) };
}

/** @returns an object's schema without some of its members. */
export function omit<T, Name extends keyof T & string>(
  schema: Schema<T>,
  names: readonly Name[],
): Schema<Omit<T, Name>> {
  const remaining = Object.keys(schema.members ?? {}).filter((name) => !names.includes(name as Name));
  return pick(schema as Schema, remaining) as Schema<Omit<T, Name>>;
}
