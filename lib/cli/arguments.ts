import { type ParseArgsConfig, parseArgs } from 'node:util';
import { closestName } from '../mock-provider/options/closest-name.js';
import { usageError } from './command-error.js';

/** One option of a command: what its value is called, or nothing when it takes none; and what it does, for `--help`. */
export interface Option {
  readonly value?: string;
  readonly help: string;
}

/** What a command line gave, by name: a text where the option takes a value, else true. */
export type ParsedArguments = Readonly<Record<string, string | true>>;

/** @returns the options of one command's command line. Throws a sentence with the nearest right name, exit code 2. */
export function readArguments(
  command: string,
  args: readonly string[],
  options: Readonly<Record<string, Option>>,
): ParsedArguments {
  const known: NonNullable<ParseArgsConfig['options']> = Object.fromEntries(
    Object.entries(options).map(([name, { value }]) => [name, { type: value === undefined ? 'boolean' : 'string' }]),
  );
  const { tokens } = parseArgs({ args: [...args], options: known, strict: false, tokens: true });
  const given: Record<string, string | true> = {};
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') {
      throw usageError(`${command} takes options alone, and ${JSON.stringify(token.value)} is none.`);
    }
    const { name, rawName, value } = token;
    if (!Object.hasOwn(options, name)) throw unknownOption(command, name, rawName, Object.keys(options));
    if (Object.hasOwn(given, name)) throw usageError(`${rawName} is given twice: give it once.`);
    given[name] = readValue(rawName, value, options[name] as Option);
  }
  return given;
}

function readValue(rawName: string, value: string | undefined, option: Option): string | true {
  if (option.value === undefined) {
    if (value !== undefined) throw usageError(`${rawName} takes no value: leave out ${JSON.stringify(`=${value}`)}.`);
    return true;
  }
  if (value) return value;
  throw usageError(`${rawName} needs a value: ${rawName} <${option.value}>.`);
}

function unknownOption(command: string, name: string, rawName: string, known: readonly string[]): Error {
  const meant = closestName(name, known);
  const fix =
    meant === undefined ? `There are: ${known.map((one) => `--${one}`).join(', ')}.` : `Did you mean --${meant}?`;
  return usageError(`${command} has no option ${rawName}. ${fix}`);
}

/** @returns a whole number. Throws a sentence, exit code 2. */
export function readNumber(name: string, text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw usageError(`--${name} must be a number from ${least} to ${most}, not ${JSON.stringify(text)}.`);
}
