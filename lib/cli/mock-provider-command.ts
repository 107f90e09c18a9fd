import { writeFileSync } from 'node:fs';
import { type MockProvider, type MockProviderOptions, startMockProvider } from '../mock-provider/mock-provider.js';
import { OptionError } from '../mock-provider/options/schema.js';
import { type Option, type ParsedArguments, readArguments, readNumber } from './arguments.js';
import { CommandError, usageError } from './command-error.js';
import { type ConfigFile, readConfigFile } from './config-file.js';
import type { Command } from './help.js';
import { waitForStop } from './signals.js';
import { startLine, startText } from './start-message.js';

const DEFAULT_PORT = 4400;

const OPTIONS: Readonly<Record<string, Option>> = {
  port: { value: 'number', help: `the port to listen on, 0 for any free port (default ${DEFAULT_PORT})` },
  host: { value: 'name', help: 'the address to listen on, and the host name of the issuer (default 127.0.0.1)' },
  config: { value: 'file', help: 'reads clients, clinicians and every further option from a JSON file' },
  https: { help: 'serves https with a certificate that is generated at startup' },
  'ca-file': { value: 'file', help: 'with --https: writes the certificate to trust to this file, in PEM' },
  control: { help: 'opens the control API, /_mock/, to programs on this machine' },
  json: { help: 'prints the URLs and credentials as one line of JSON' },
  quiet: { help: 'prints nothing' },
  'stop-with-stdin': { help: 'stops when its standard input ends: with the program that started it' },
};

/** `passport-clinician mock-provider`: runs the mock provider as its own process. */
export const mockProvider: Command = {
  name: 'mock-provider',
  summary: 'starts the whole clinician identity service on this machine, for tests and local development',
  options: OPTIONS,
  async run(args) {
    const given = readArguments('mock-provider', args, OPTIONS);
    refuseContradictions(given);
    const config = given.config === undefined ? undefined : readConfigFile(given.config as string);
    const options = optionsFrom(given, config);
    const provider = await start(options, config, given);
    try {
      announce(provider, options, given);
      await waitForStop({ stopWithStdin: given['stop-with-stdin'] === true });
    } finally {
      await provider.stop();
    }
    return 0;
  },
};

function refuseContradictions(given: ParsedArguments): void {
  if (given.json && given.quiet)
    throw usageError('--json prints a line and --quiet prints nothing. Pass only one of them.');
}

/** Options on the command line override those of the config file. */
function optionsFrom(given: ParsedArguments, config: ConfigFile | undefined): MockProviderOptions {
  const options: MockProviderOptions = {
    port: DEFAULT_PORT,
    ...config?.options,
    ...(given.port !== undefined && { port: readNumber('port', given.port as string, 0, 65_535) }),
    ...(given.host !== undefined && { host: given.host as string }),
    ...(given.https && { https: true }),
    ...(given.control && { control: true }),
  };
  if (given['ca-file'] && options.https !== true) {
    throw usageError('--ca-file is for the certificate that --https generates. Pass both.');
  }
  return options;
}

async function start(
  options: MockProviderOptions,
  config: ConfigFile | undefined,
  given: ParsedArguments,
): Promise<MockProvider> {
  try {
    return await startMockProvider(options);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== undefined) {
      throw new CommandError(`Cannot listen on ${options.host ?? '127.0.0.1'}, port ${options.port} (${code}).`);
    }
    const isFromFile = error instanceof OptionError && !Object.hasOwn(given, String(error.path[0]));
    throw (isFromFile && config?.locate(error)) || new CommandError(message);
  }
}

function announce(provider: MockProvider, options: MockProviderOptions, given: ParsedArguments): void {
  const caFile = given['ca-file'] as string | undefined;
  if (caFile !== undefined) writeAuthority(caFile, provider);
  if (given.json) console.log(startLine(provider, options));
  else if (!given.quiet) console.log(startText(provider, options, caFile));
}

function writeAuthority(file: string, { ca = '' }: MockProvider): void {
  try {
    writeFileSync(file, ca);
  } catch (error) {
    throw new CommandError(`Cannot write ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
