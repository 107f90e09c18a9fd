/** Prints a message of this package to stderr. A process warning would look like one of Node. */
export function printWarning(code: string, message: string): void {
  console.warn('%s', `passport-clinician [${code}]: ${message.replace(/^passport-clinician: /, '')}`);
}
