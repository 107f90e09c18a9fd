import type { CodeOf } from '../error-codes.js';
import { ConfigurationError } from '../errors.js';

/** Describes what is wrong with an option. The phrase completes `option 'name' ...` and says what to do. */
export interface OptionProblem {
  readonly code: CodeOf<'ConfigurationError'>;
  readonly phrase: string;
}

/** Defines one option: its type, its checks, its default and its other names. */
export interface OptionRule<T> {
  /** What a value must be, for messages: `a string`. */
  readonly type: string;
  isValid(value: unknown): boolean;
  /** @returns what is wrong with a valid value. */
  check?(value: T): OptionProblem | undefined;
  /** What to do when the option is missing. Only required options have it. */
  readonly whenMissing?: string;
  readonly default?: T;
  /** Names of the same option in other libraries, in lower-case letters. */
  readonly otherNames?: readonly string[];
}

/** Defines the members of an options object by one rule each. */
export type OptionTable<T> = { readonly [Name in keyof T]-?: OptionRule<Exclude<T[Name], undefined>> };

/** The part of a rule that checks the type of a value. */
type ValueType = Pick<OptionRule<unknown>, 'type' | 'isValid'>;

export const text: ValueType = { type: 'a string', isValid: (value) => typeof value === 'string' };
export const flag: ValueType = { type: 'true or false', isValid: (value) => typeof value === 'boolean' };
export const func: ValueType = { type: 'a function', isValid: (value) => typeof value === 'function' };
export const texts: ValueType = {
  type: 'an array of strings',
  isValid: (value) => Array.isArray(value) && value.every(text.isValid),
};

export const anything: ValueType = { type: 'any value', isValid: () => true };

/** @returns the type of one of these strings. */
export function oneOf(...values: readonly string[]): ValueType {
  const type = values.map((value) => `'${value}'`).join(' or ');
  return { type, isValid: (value) => values.some((known) => known === value) };
}

/** @returns the type of an object that has a method. */
export function objectWith(method: string, type: string): ValueType {
  const isValid = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && func.isValid((value as Record<string, unknown>)[method]);
  return { type, isValid };
}

/** Options of other Passport strategies that this package does not need, with the reason. */
const UNNEEDED: Readonly<Record<string, string>> = {
  store: 'each login attempt has its own sealed cookie',
  sessionKey: 'each login attempt has its own sealed cookie',
  proxy: "'callbackURL' is absolute, so proxy headers are ignored",
  scopeSeparator: 'the service separates scopes by a space',
};

/** @returns the options with their defaults. Throws a {@link ConfigurationError} that names the option and the fix. */
export function checkOptions<T extends object>(options: T, table: OptionTable<T>): T {
  const rules = Object.entries(table) as [string, OptionRule<unknown>][];
  if (typeof options !== 'object' || options === null) {
    const required = rules.filter(([, rule]) => rule.whenMissing !== undefined).map(([name]) => name);
    throw new ConfigurationError(
      'option_missing',
      `passport-clinician: the options are missing. Pass an object with at least ${required.join(', ')}.`,
    );
  }
  refuseUnknownNames(Object.keys(options), rules);
  const checked: Record<string, unknown> = {};
  for (const [name, rule] of rules) {
    const value = (options as Record<string, unknown>)[name];
    failIf(name, problemOf(rule, value));
    if (value !== undefined || rule.default !== undefined) checked[name] = value ?? rule.default;
  }
  return checked as T;
}

/** @returns what is wrong with the value of one option. */
export function problemOf(rule: OptionRule<unknown>, value: unknown): OptionProblem | undefined {
  const isMissing = value === undefined || (rule.whenMissing !== undefined && (value === null || value === ''));
  if (isMissing) {
    return rule.whenMissing === undefined
      ? undefined
      : { code: 'option_missing', phrase: `is missing. ${rule.whenMissing}` };
  }
  if (!rule.isValid(value)) return { code: 'option_invalid', phrase: `must be ${rule.type}.` };
  return rule.check?.(value);
}

/** Throws a {@link ConfigurationError} for the problem of an option, if there is one. */
export function failIf(name: string, problem: OptionProblem | undefined): void {
  if (problem) throw optionError(name, problem.code, `option '${name}' ${problem.phrase}`);
}

export function optionError(option: string, code: CodeOf<'ConfigurationError'>, message: string): ConfigurationError {
  return new ConfigurationError(code, `passport-clinician: ${message}`, { option });
}

function refuseUnknownNames(
  passedNames: readonly string[],
  rules: readonly (readonly [name: string, rule: OptionRule<unknown>])[],
): void {
  const names = rules.map(([name]) => name);
  for (const name of passedNames) {
    if (names.includes(name)) continue;
    if (Object.hasOwn(UNNEEDED, name)) {
      throw optionError(name, 'option_unknown', `option '${name}' is not needed: ${UNNEEDED[name]}. Remove it.`);
    }
    const letters = name.toLowerCase().replaceAll(/[^a-z]/g, '');
    const closest = rules.find(([, rule]) => rule.otherNames?.includes(letters))?.[0] ?? closestName(letters, names);
    throw closest === undefined
      ? optionError(name, 'option_unknown', `unknown option '${name}'. The options are: ${names.join(', ')}.`)
      : optionError(name, 'option_misspelled', `unknown option '${name}'. Did you mean '${closest}'?`);
  }
}

/** @returns the name with the smallest edit distance, at most 2, from a misspelled one. */
export function closestName(misspelled: string, names: readonly string[]): string | undefined {
  const distances = names.map((name) => ({ name, value: distance(name.toLowerCase(), misspelled.toLowerCase()) }));
  return distances.filter(({ value }) => value <= 2).sort((a, b) => a.value - b.value)[0]?.name;
}

/** Computes the Levenshtein distance: how many characters to insert, delete or replace. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, substitution);
    }
    row = next;
  }
  return row[b.length] as number;
}
