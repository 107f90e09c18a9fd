/** Ends the program with one sentence on stderr: the exit code is 2 when the command line is wrong, 1 when what it asked for failed. */
export class CommandError extends Error {
  readonly exitCode: 1 | 2;

  constructor(sentence: string, exitCode: 1 | 2 = 1) {
    super(sentence);
    this.exitCode = exitCode;
  }
}

/** A command line that cannot be meant. */
export function usageError(sentence: string): CommandError {
  return new CommandError(sentence, 2);
}
