import { IncomingMessage } from 'node:http';
import { closestName } from '../errors/closest-name.js';
import { ConfigurationError } from '../errors/errors.js';
import { isObject, type OptionTable, type Problem, phraseOf, type Schema } from '../schema.js';

/** Options with their defaults: every member is present. */
export type WithDefaults<T> = { [Name in keyof T]-?: Exclude<T[Name], undefined> };

export const func: Schema = { type: 'a function', isValid: (value) => typeof value === 'function' };
export const anything: Schema = { type: 'any value', isValid: () => true };

/** @returns the schema of an object. @param type what it must be, for messages */
export function objectType(type: string): Schema {
  return { type, isValid: isObject };
}

/**
 * @returns the schema of an object with these methods. Its message names the missing ones.
 * @param fix what to pass: `Pass new MemoryTokenStore().`
 */
export function objectWith<T extends object>(
  methods: readonly (keyof T & string)[],
  type: string,
  fix: string,
): Schema<T> {
  return {
    type: `${type}. ${fix.replace(/\.$/, '')}`,
    isValid: (value) => typeof value === 'object' && value !== null,
    check(value) {
      const missing = methods.filter((name) => typeof value[name] !== 'function').map((name) => `${name}()`);
      if (missing.length === 0) return undefined;
      const list = missing.length === 1 ? missing[0] : `${missing.slice(0, -1).join(', ')} and ${missing.at(-1)}`;
      return `must be ${type}: it has no ${list}. ${fix}`;
    },
  };
}

/** The schema of a duration. 0 and Infinity are durations. */
export const duration: Schema<number> = {
  type: 'a number of milliseconds, 0 or more',
  isValid: (value) => typeof value === 'number' && value >= 0,
};

/**
 * Checks an options object: every getter of it is called once.
 * @param caller the function or class that receives the options, for messages: `requireLogin()`. Absent if the package is
 * @returns the options with their defaults. Throws a {@link ConfigurationError} that names every unknown option, or every wrong value,
 * and its fix.
 */
export function checkOptions<T extends object>(options: T | undefined, table: OptionTable<T>, caller?: string): T {
  const rules = Object.entries(table) as [string, Schema][];
  const passed = requireObject(options, rules, caller);
  // An option is not also called missing if its name is misspelled.
  failIfAny(unknownNames(Object.keys(passed), rules), caller);
  const mistakes: OptionMistake[] = [];
  const checked: Record<string, unknown> = {};
  for (const [name, rule] of rules) {
    const value = passed[name];
    const problem = problemOf(rule, value);
    if (problem) mistakes.push(mistakeOf(name, problem));
    const used = value ?? rule.default;
    if (used !== undefined) checked[name] = used;
  }
  failIfAny(mistakes, caller);
  return checked as T;
}

/** @returns the options as an object. Throws for another value, and for none if an option is required. */
function requireObject(
  options: unknown,
  rules: readonly (readonly [name: string, rule: Schema])[],
  caller: string | undefined,
): Readonly<Record<string, unknown>> {
  const required = rules.filter(([, rule]) => rule.whenMissing !== undefined).map(([name]) => name);
  if (options === undefined && required.length === 0) return {};
  if (isObject(options) && !(options instanceof IncomingMessage)) return options;
  const names = rules.map(([name]) => name).join(', ');
  if (required.length > 0 && (options === undefined || options === null)) {
    throw new ConfigurationError(
      'option_invalid',
      `${prefix(caller)}the options are missing. Pass an object with at least ${required.join(', ')}.`,
    );
  }
  const fix = isObject(options)
    ? 'a request. Call this function with its options, and pass the result to Express.'
    : `${kindOf(options)}. The options are: ${names}.`;
  throw new ConfigurationError('option_invalid', `${prefix(caller)}the options must be an object, not ${fix}`);
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return `a ${typeof value}`;
}

function prefix(caller: string | undefined): string {
  return caller === undefined ? 'passport-clinician: ' : `passport-clinician: ${caller}: `;
}

/** @returns what is wrong with the value of one option. */
export function problemOf(rule: Schema, value: unknown): Problem | undefined {
  const isMissing = value === undefined || (rule.whenMissing !== undefined && (value === null || value === ''));
  if (isMissing) {
    return rule.whenMissing === undefined ? undefined : `is missing. ${rule.whenMissing}`;
  }
  if (!rule.isValid(value)) return `must be ${rule.type}.`;
  return rule.check?.(value);
}

interface OptionMistake {
  /** The option that is wrong or meant; absent for an unknown name. */
  readonly option?: string;
  /** A sentence that names the option and the fix. */
  readonly message: string;
}

function mistakeOf(option: string, problem: Problem): OptionMistake {
  const { detail = '' } = typeof problem === 'string' ? {} : problem;
  return { option, message: `option '${option}' ${phraseOf(problem)} ${detail}`.trim() };
}

function failIfAny(mistakes: readonly OptionMistake[], caller: string | undefined): void {
  const [first] = mistakes;
  if (first === undefined) return;
  const lines = mistakes.map(({ message }) => message);
  if (lines.length === 1) throw optionError(first.option, first.message, caller);
  throw optionError(undefined, `several options are wrong:\n  ${lines.join('\n  ')}`, caller);
}

/** Throws a {@link ConfigurationError} for the problem of an option, if there is one. @param caller see {@link checkOptions} */
export function failIf(name: string, problem: Problem | undefined, caller?: string): void {
  if (problem) failIfAny([mistakeOf(name, problem)], caller);
}

/** @param option one of the page Options. Those of a call, such as `requireLogin()`, are not on it. */
export function optionError(option: string | undefined, message: string, caller?: string): ConfigurationError {
  return new ConfigurationError('option_invalid', prefix(caller) + message, caller === undefined ? { option } : {});
}

const MAX_NAME_LENGTH = 100;
const MAX_UNKNOWN = 10;

function unknownNames(
  passedNames: readonly string[],
  rules: readonly (readonly [name: string, rule: Schema])[],
): OptionMistake[] {
  const names = rules.map(([name]) => name);
  const mistakes: OptionMistake[] = [];
  const others: string[] = [];
  const wrong = passedNames.filter((name) => !names.includes(name));
  for (const unknown of wrong.slice(0, MAX_UNKNOWN)) {
    const option = unknown.slice(0, MAX_NAME_LENGTH);
    const letters = option.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
    const closest = closestName(letters, names);
    if (closest !== undefined) {
      const message = `unknown option '${option}'. Did you mean '${closest}'?`;
      mistakes.push({ option: closest, message });
    } else others.push(option);
  }
  if (others.length > 0) {
    const list = others.map((name) => `'${name}'`).join(', ');
    const message = `unknown option${others.length > 1 ? 's' : ''} ${list}. The options are: ${names.join(', ')}.`;
    mistakes.push({ message });
  }
  const more = wrong.length - MAX_UNKNOWN;
  if (more > 0) mistakes.push({ message: `unknown options that are not listed: ${more}.` });
  return mistakes;
}
