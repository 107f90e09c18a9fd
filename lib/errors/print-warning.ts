import { Console } from 'node:console';

/**
 * Prints a message of this package to stderr. A process warning would look like one of Node, and test runners print the stack of a
 * call of the global console. A console ignores a stderr that is closed.
 */
export function printWarning(code: string, message: string): void {
  const text = message.replace(/^passport-clinician: /, '');
  new Console(process.stderr).warn('%s', `passport-clinician [${code}]: ${text}`);
}
