/**
 * What is wrong with a value: a phrase that completes `option 'name' ...` and says what to do. The detail is a further sentence that
 * quotes the value. It is left out if the value may be a secret: one in the wrong variable.
 */
export type Problem = string | { readonly phrase: string; readonly detail?: string };

/**
 * Defines the values of an option: their type, their checks and their default. No library: valibot, zod and TypeBox take 1 to
 * 14 ms longer to start, and compile even if a schema lacks an optional member of its interface.
 */
// biome-ignore lint/suspicious/noExplicitAny: a schema of any type
export interface Schema<T = any> {
  /** What a value must be, for messages: `a string`. */
  readonly type: string;
  readonly isValid: (value: unknown) => boolean;
  /** @returns what is wrong with a value of this type: `must be ...`. */
  readonly check?: (value: T) => Problem | undefined;
  /** The only values, if there are few: a message names the one that is meant. */
  readonly values?: readonly T[];
  readonly default?: T;
  /** What to do when the option is missing. Only required options have it: empty if the type says it. */
  readonly whenMissing?: string;
  /** Messages never show a secret. */
  readonly isSecret?: boolean;
  /** The schema of each element of an array. */
  readonly items?: Schema;
  /** The members of an object, which has no others. */
  readonly members?: Readonly<Record<string, Schema>>;
  /** Never set: lets the compiler compare a schema with the type of its values. */
  readonly accepts?: (value: T) => T;
}

/** The schemas of an options object: one for each member. */
export type OptionTable<T> = { readonly [Name in keyof T]-?: Schema<Exclude<T[Name], undefined>> };

export const text: Schema<string> = { type: 'a string', isValid: (value) => typeof value === 'string' };
export const flag: Schema<boolean> = { type: 'true or false', isValid: (value) => typeof value === 'boolean' };
export const texts: Schema<readonly string[]> = {
  type: 'an array of strings',
  isValid: (value) => Array.isArray(value) && value.every(text.isValid),
};

/** @returns the schema of one of these strings. */
export function oneOf<T extends string>(...values: readonly T[]): Schema<T> {
  const names = values.map((value) => `'${value}'`);
  const type = [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ');
  return { type, values, isValid: (value) => values.some((known) => known === value) };
}

/** @returns true for an object that is not an array. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** @returns the phrase of a problem. */
export function phraseOf(problem: Problem): string {
  return typeof problem === 'string' ? problem : problem.phrase;
}
