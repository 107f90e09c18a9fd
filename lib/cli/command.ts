import { readFileSync } from 'node:fs';

/** An option of a command: the name of its value, if it has one, and its text in `--help`. */
export interface Option {
  readonly value?: string;
  readonly help: string;
}

/** A command of `passport-clinician`. */
export interface Command {
  readonly name: string;
  /** Completes `It ...` in `--help`. */
  readonly summary: string;
  /** In the order of `--help`. */
  readonly options: Readonly<Record<string, Option>>;
  /** Text below the options in `--help`. */
  readonly notes?: string;
  /** @returns the exit code */
  run(args: readonly string[]): Promise<number>;
}

/** Ends the process with its message on stderr. The exit code is 2 for a usage error, 1 for any other failure. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(message: string, exitCode: 1 | 2 = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

export function usageError(message: string): CommandError {
  return new CommandError(message, 2);
}

/** Reads a file in UTF-8, without its byte order mark. */
export function readTextFile(file: string): string {
  try {
    return new TextDecoder().decode(readFileSync(file));
  } catch (error) {
    throw new CommandError(`Cannot read ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
