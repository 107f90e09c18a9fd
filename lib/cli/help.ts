import { createRequire } from 'node:module';
import type { Command } from './command.js';

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
  ['<command> --help', 'shows the options of a command'],
  ['--version', 'shows the version'],
])}
`;
}

export function commandHelp({ name, summary, options, notes }: Command): string {
  const rows = Object.entries(options).map(
    ([option, { value, help }]) => [`--${option}${value === undefined ? '' : ` <${value}>`}`, help] as const,
  );
  return `Usage: passport-clinician ${name} [options]

It ${summary}.

${columns([...rows, ['--help', 'shows this text']])}
${notes === undefined ? '' : `\n${notes}\n`}`;
}
