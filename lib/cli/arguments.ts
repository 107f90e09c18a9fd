import { type ParseArgsConfig, parseArgs } from 'node:util';
import { closestName } from '../closest-name.js';
import { type Option, usageError } from './command.js';

/** Holds the options of a command line by name: the text of an option with a value, else true. */
export type ParsedArguments = Readonly<Record<string, string | true>>;

/** @returns the options of a command line. Throws a usage error, with the closest name for an unknown option. */
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
    if (token.kind === 'positional') {
      throw usageError(`${command} accepts only options, and ${JSON.stringify(token.value)} is not an option.`);
    }
    const { name, rawName, value } = token;
    if (!Object.hasOwn(options, name)) throw unknownOption(command, name, rawName, Object.keys(options));
    if (Object.hasOwn(parsed, name)) throw usageError(`${rawName} is passed twice. Pass it once.`);
    parsed[name] = readValue(rawName, value, options[name] as Option);
  }
  return parsed;
}

function readValue(rawName: string, value: string | undefined, option: Option): string | true {
  if (option.value === undefined) {
    if (value !== undefined) throw usageError(`${rawName} has no value. Remove ${JSON.stringify(`=${value}`)}.`);
    return true;
  }
  if (value) return value;
  throw usageError(`${rawName} needs a value: ${rawName} <${option.value}>.`);
}

function unknownOption(command: string, name: string, rawName: string, known: readonly string[]): Error {
  const closest = closestName(name, known);
  const list = known.map((one) => `--${one}`).join(', ');
  const fix = closest === undefined ? `The options are: ${list}.` : `Did you mean --${closest}?`;
  return usageError(`${command} has no option ${rawName}. ${fix}`);
}

/** @returns a whole number. Throws a usage error. */
export function readNumber(name: string, text: string, min: number, max: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw usageError(`--${name} must be a number from ${min} to ${max}, not ${JSON.stringify(text)}.`);
}
