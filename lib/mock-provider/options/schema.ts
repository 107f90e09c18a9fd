export type TypeName = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object';

/**
 * The values of one type: keywords of JSON Schema, and what JSON Schema cannot express. No library: valibot, zod and TypeBox take
 * 1 to 14 ms longer to start, and compile even if a schema lacks an optional member of its interface.
 */
// biome-ignore lint/suspicious/noExplicitAny: a schema of any type
export interface Schema<T = any> {
  readonly type?: TypeName | readonly TypeName[];
  readonly enum?: readonly T[];
  /** `password` marks a secret: messages never show its value. */
  readonly format?: 'password';
  readonly default?: T;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  /** Describes a valid value, for messages: `a duration such as '30 minutes'`. @default derived from the keywords */
  readonly expects?: string;
  /** @returns what is wrong with a value that fits the keywords, as a verb phrase: `must be ...`. */
  readonly check?: (value: T) => string | undefined;
  /** Never set: lets the compiler compare a schema with the type of its values. */
  readonly accepts?: (value: T) => T;
}

export const text: Schema<string> = { type: 'string' };
export const nonEmptyText: Schema<string> = { type: 'string', minLength: 1, expects: 'a string that is not empty' };
/** Text that messages never show. */
export const secret: Schema<string> = { type: 'string', format: 'password' };
export const textOrNull: Schema<string | null> = { type: ['string', 'null'] };
export const texts: Schema<readonly string[]> = { type: 'array', items: text, expects: 'an array of strings' };
export const number: Schema<number> = { type: 'number' };
export const integer: Schema<number> = { type: 'integer' };
export const flag: Schema<boolean> = { type: 'boolean' };

/** @returns the schema of a whole number that is not negative. */
export function count(bounds: Pick<Schema<number>, 'minimum' | 'maximum' | 'default'> = {}): Schema<number> {
  return { type: 'integer', minimum: 0, ...bounds };
}

export function oneOf<T extends string>(...values: readonly T[]): Schema<T> {
  return { type: 'string', enum: values };
}

export function list<T>(items: Schema<T>): Schema<readonly T[]> {
  return { type: 'array', items };
}

/** The members that may be left out, or undefined, which JSON leaves out. */
type OptionalName<T> = { [Name in keyof T]-?: undefined extends T[Name] ? Name : never }[keyof T];
type Members<T, Name extends keyof T> = { readonly [N in Name]-?: Schema<Exclude<T[N], undefined>> };

/** @returns the schema of an object with these members and no others. The compiler reports a member that `T` has and this lacks. */
export function object<T>(
  required: Members<T, Exclude<keyof T, OptionalName<T>>>,
  optional: Members<T, OptionalName<T>>,
): Schema<T> {
  const properties: Record<string, Schema> = { ...required, ...optional };
  return { type: 'object', properties, required: Object.keys(required), additionalProperties: false };
}

/** @returns an object's schema with only some of its members. */
export function pick<T, Name extends keyof T & string>(
  schema: Schema<T>,
  names: readonly Name[],
): Schema<Pick<T, Name>> {
  const { properties = {}, required = [], ...others } = schema as Schema;
  const picked = Object.entries(properties).filter(([name]) => names.includes(name as Name));
  return {
    ...others,
    properties: Object.fromEntries(picked),
    required: required.filter((name) => names.includes(name as Name)),
  };
}

/** @returns an object's schema without some of its members. */
export function omit<T, Name extends keyof T & string>(
  schema: Schema<T>,
  names: readonly Name[],
): Schema<Omit<T, Name>> {
  const remaining = Object.keys(schema.properties ?? {}).filter((name) => !names.includes(name as Name));
  return pick(schema as Schema, remaining) as Schema<Omit<T, Name>>;
}
