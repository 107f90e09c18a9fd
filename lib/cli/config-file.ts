import { readFileSync } from 'node:fs';
import type { MockProviderOptions } from '../mock-provider/mock-provider.js';
import { clientRegistration } from '../mock-provider/options/client-registration.js';
import { mockProviderOptions } from '../mock-provider/options/provider-options.js';
import { list, type Schema } from '../mock-provider/options/schema.js';
import { type OptionError, validate } from '../mock-provider/options/validate.js';
import { CommandError } from './command.js';
import { JSONSyntaxError, type JSONText, lineAndColumn, readJSON } from './json-text.js';

/** A config file whose values have the types of the options of `startMockProvider()`. */
export interface ConfigFile {
  readonly options: MockProviderOptions;
  /** @returns an error about an option that the file sets, as `file:line:column: message`. */
  locate(error: OptionError): CommandError;
}

const READ_ERRORS: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'permission denied',
};

/** The options of `startMockProvider()`. Each client has the id and the secret that its site is configured with. */
const configFile: Schema<MockProviderOptions> = {
  ...mockProviderOptions,
  properties: {
    ...mockProviderOptions.properties,
    clients: list({
      ...clientRegistration,
      required: ['clientID', 'clientSecret', ...(clientRegistration.required ?? [])],
    }),
  },
};

/**
 * Reads a config file: JSON with the options of `startMockProvider()`.
 * Throws a {@link CommandError}, `file:line:column: message`, that never contains a secret.
 */
export function readConfigFile(file: string): ConfigFile {
  const text = readText(file);
  const at = (offset: number): string => `${file}:${lineAndColumn(text, offset)}`;
  const json = parse(text, at);
  function locate({ message, path, unknownName }: OptionError): CommandError {
    const offset =
      unknownName === undefined ? json.positionOf(path)?.value : json.positionOf([...path, unknownName])?.name;
    return new CommandError(offset === undefined ? message : `${at(offset)}: ${message}`);
  }
  try {
    validate(configFile, json.value, 'The config file');
  } catch (error) {
    throw locate(error as OptionError);
  }
  return { options: json.value, locate };
}

function parse(text: string, at: (offset: number) => string): JSONText {
  try {
    return readJSON(text);
  } catch (error) {
    if (error instanceof JSONSyntaxError) throw new CommandError(`${at(error.offset)}: ${error.message}`);
    throw error;
  }
}

function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new CommandError(`Cannot read ${file}: ${READ_ERRORS[code] ?? code}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError(`${file} is not UTF-8. Save it as UTF-8.`);
  }
}
