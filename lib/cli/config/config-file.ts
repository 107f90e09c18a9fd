import { readFileSync } from 'node:fs';
import type { MockProviderOptions } from '../../mock-provider/mock-provider.js';
import { CommandError } from '../command-error.js';
import { checkRegistrations, RegistrationError } from './check-registrations.js';
import { checkSchema, SchemaError } from './check-schema.js';
import { JSONSyntaxError, type JSONText, readJSON } from './json-text.js';
import { pathInMessage } from './locate-error.js';
import { CONFIG } from './schema.js';

/** A config file that has been read and checked. */
export interface ConfigFile {
  readonly options: MockProviderOptions;
  /**
   * @returns a sentence of the mock provider with the file, line and column that it speaks of, where there is one.
   * @param overruled options of which the command line had the last word.
   */
  locate(sentence: string, overruled: readonly string[]): string;
}

const READING: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
};

/**
 * Reads a config file: JSON with the shapes of the options of `startMockProvider()`.
 * Throws one sentence that begins with file, line and column, exit code 1. It never repeats a secret.
 */
export function readConfigFile(file: string): ConfigFile {
  const text = readText(file);
  const at = (offset: number): string => `${file}:${lineAndColumn(text, offset)}`;
  const json = parse(text, at);
  const place = (path: string, part: 'name' | 'value' = 'value'): string => {
    const { name, value } = json.places.get(path) ?? { name: undefined, value: 0 };
    return at(part === 'name' ? (name ?? value) : value);
  };
  try {
    checkSchema(json.value, CONFIG);
    const options = json.value as MockProviderOptions;
    checkRegistrations(options);
    return {
      options,
      locate(sentence, overruled) {
        const path = pathInMessage(sentence, json);
        return path === undefined || overruled.includes(path) ? sentence : `${place(path)}: ${sentence}`;
      },
    };
  } catch (error) {
    if (error instanceof SchemaError) throw new CommandError(`${place(error.path, error.at)}: ${error.message}`);
    if (!(error instanceof RegistrationError)) throw error;
    const path = pathInMessage(error.message, json, error.path) ?? error.path;
    throw new CommandError(`${place(path)}: ${error.message}`);
  }
}

function parse(text: string, at: (offset: number) => string): JSONText {
  try {
    return readJSON(text);
  } catch (error) {
    if (error instanceof JSONSyntaxError) throw new CommandError(`${at(error.at)}: ${error.message}`);
    throw error;
  }
}

function readText(file: string): string {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw new CommandError(`Cannot read ${file}: ${READING[code] ?? code}.`);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new CommandError(`${file} is no UTF-8 text: save it as UTF-8.`);
  }
}

function lineAndColumn(text: string, offset: number): string {
  const lines = text.slice(0, offset).split('\n');
  return `${lines.length}:${[...(lines.at(-1) as string)].length + 1}`;
}
