import { type ParseArgsConfig, parseArgs } from 'node:util';
import { closestName } from '../errors/closest-name.js';
import { type Option, usageError } from './command.js';

/** The options of a command line by name: the text of an option with a value, else true. */
export type ParsedArguments = Readonly<Record<string, string | true>>;

/**
 * @returns the options of a command line. Throws a usage error, with the closest name for an unknown option. The error repeats no
 * argument but the name of an option, or a similar one: any other may be a secret.
 */
export function readArguments(
  command: string,
  args: readonly string[],
  options: Readonly<Record<string, Option>>,
): ParsedArguments {
  const known: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
  );
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true });
  const parsed: Record<string, string | true> = {};
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw notAnOption(command, token.index, options);
    const { name, rawName, value, index } = token;
    if (!Object.hasOwn(options, name)) {
      const closest = closestName(name, Object.keys(options));
      if (closest === undefined) throw notAnOption(command, index, options);
      throw usageError(`${command} has no option ${rawName}. Did you mean --${closest}?`);
    }
    if (Object.hasOwn(parsed, name)) throw usageError(`${rawName} is passed twice. Pass it once.`);
    parsed[name] = readValue(rawName, value, options[name] as Option);
  }
  return parsed;
}

/** An argument that may be a secret is named by its position. */
function notAnOption(command: string, index: number, options: Readonly<Record<string, Option>>): Error {
  const list = Object.keys(options).map((name) => `--${name}`);
  return usageError(`Argument ${index + 1} of ${command} is not an option. The options are: ${list.join(', ')}.`);
}

function readValue(rawName: string, value: string | undefined, option: Option): string | true {
  if (option.value === undefined) {
    if (value !== undefined) throw usageError(`${rawName} has no value. Remove "=" and the text after it.`);
    return true;
  }
  if (value) return value;
  throw usageError(`${rawName} needs a value: ${rawName} <${option.value}>.`);
}

/** @returns a whole number. Throws a usage error. */
export function readNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(`--${name} must be a number from ${min} to ${max}.`);
}
