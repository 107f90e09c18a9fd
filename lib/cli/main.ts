import { type Command, CommandError, usageError } from './command.js';
import { demo } from './demo-command.js';
import { doctor } from './doctor-command.js';
import { commandHelp, generalHelp, version } from './help.js';
import { mockProvider } from './mock-provider-command.js';

const COMMANDS: readonly Command[] = [demo, mockProvider, doctor];

async function run([first, ...rest]: readonly string[]): Promise<number> {
  if (first === '--help' || first === '-h') return print(generalHelp(COMMANDS));
  if (first === '--version' || first === '-v') return print(`${version()}\n`);
  const command = findCommand(first);
  if (rest.includes('--help') || rest.includes('-h')) return print(commandHelp(command));
  return command.run(rest);
}

function findCommand(name: string | undefined): Command {
  const command = COMMANDS.find((one) => one.name === name);
  if (command) return command;
  // The argument may be an option with a secret: it is not repeated.
  const problem = name === undefined ? 'A command is missing.' : 'The first argument is not a command.';
  throw usageError(`${problem} The commands are: ${COMMANDS.map((one) => one.name).join(', ')}.`);
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

function fail(error: unknown): number {
  // Any other error is a bug in this program. Its stack trace is printed for the bug report.
  console.error(error instanceof CommandError ? error.message : error);
  return error instanceof CommandError ? error.exitCode : 1;
}

// Not `await`: the program is built as CommonJS.
void run(process.argv.slice(2))
  .catch(fail)
  .then((exitCode) => {
    process.exitCode = exitCode;
  });
