import { createRequire } from 'node:module';
import type { Option } from './arguments.js';

/** A command: what it is called, what it does, and its options in the order of `--help`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly options: Readonly<Record<string, Option>>;
  /** What else there is to say below the options. */
  readonly notes?: string;
  /** @returns the exit code, once it is done. */
  run(args: readonly string[]): Promise<number>;
}

export function version(): string {
  const manifest = createRequire(import.meta.url)('passport-clinician/package.json') as { version: string };
  return manifest.version;
}

function columns(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.map(([left, right]) => `  ${left.padEnd(width)}  ${right}`).join('\n');
}

export function generalHelp(commands: readonly Command[]): string {
  return `passport-clinician ${version()}

Usage: passport-clinician <command> [options]

${columns(commands.map(({ name, summary }) => [name, summary]))}

${columns([
  ['<command> --help', 'says what a command takes'],
  ['--version', 'says which version this is'],
])}
`;
}

export function commandHelp({ name, summary, options, notes }: Command): string {
  const rows = Object.entries(options).map(
    ([option, { value, help }]) => [`--${option}${value === undefined ? '' : ` <${value}>`}`, help] as const,
  );
  return `Usage: passport-clinician ${name} [options]

It ${summary}.

${columns([...rows, ['--help', 'shows this']])}
${notes === undefined ? '' : `\n${notes}\n`}`;
}
