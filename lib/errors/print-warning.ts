import { Console } from 'node:console';
import { addressOf } from './error-codes.js';
import { withAddress } from './errors.js';

/**
 * Prints a message of this package to stderr. A process warning would look like one of Node, and test runners print the stack of a
 * call of the global console. A console ignores a stderr that is closed.
 */
export function printWarning(code: string, text: string, see: string = addressOf(code)): void {
  const message = text.replace(/^passport-clinician: /, '');
  new Console(process.stderr).warn('%s', `passport-clinician [${code}]: ${withAddress({ message, see })}`);
}
