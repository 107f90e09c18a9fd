import { writeFileSync } from 'node:fs';
import { type MockProvider, type MockProviderOptions, startMockProvider } from '../mock-provider/mock-provider.js';
import { type ParsedArguments, readArguments, readNumber } from './arguments.js';
import { type Command, CommandError, type Option, usageError } from './command.js';
import { readConfigFile } from './config-file.js';
import { siteSettings, startLine, startText } from './start-message.js';
import { waitForStop } from './wait-for-stop.js';

const DEFAULT_PORT = 4400;

const OPTIONS: Readonly<Record<string, Option>> = {
  port: { value: 'number', help: `the port to listen on, 0 for any free port (default ${DEFAULT_PORT})` },
  host: { value: 'name', help: 'the address to listen on, and the host name of the issuer (default 127.0.0.1)' },
  'public-url': {
    value: 'url',
    help: 'the issuer, if it is not host and port, such as http://mock:4400 of a container',
  },
  config: { value: 'file', help: 'reads clients, clinicians and all other options from a JSON file' },
  https: { help: 'serves https with a certificate for localhost, 127.0.0.1 and ::1' },
  'ca-file': { value: 'file', help: 'with --https: writes the certificate to trust to this file, in PEM' },
  control: {
    help: 'opens the control API, /_mock/, to programs on this machine; with MOCK_CONTROL_TOKEN to those that send it',
  },
  json: { help: 'prints the URLs and credentials as one line of JSON' },
  env: { help: 'prints the settings of a site for its .env file, and all other output on stderr' },
  'stop-with-stdin': { help: 'stops when its standard input ends, as it does when the parent process exits' },
};

/** Runs `passport-clinician mock-provider`: the mock provider as its own process. */
export const mockProvider: Command = {
  name: 'mock-provider',
  summary: 'runs the whole clinician identity service on this machine, for tests and local development',
  options: OPTIONS,
  async run(args) {
    const parsed = readArguments('mock-provider', args, OPTIONS);
    if (parsed.json && parsed.env) throw usageError('Pass --json or --env, not both.');
    const options = readOptions(parsed);
    const provider = await start(options, parsed);
    try {
      announce(provider, options, parsed);
      await waitForStop(parsed['stop-with-stdin'] === true);
    } finally {
      await provider.stop();
    }
    return 0;
  },
};

/** @returns the options of the config file and of the command line, which overrides the file. */
function readOptions(parsed: ParsedArguments): MockProviderOptions {
  const config = parsed.config === undefined ? {} : readConfigFile(parsed.config as string);
  const options: MockProviderOptions = {
    port: DEFAULT_PORT,
    ...config,
    ...(parsed.port !== undefined && { port: readNumber('port', parsed.port as string, 0, 65_535) }),
    ...(parsed.host !== undefined && { host: parsed.host as string }),
    ...(parsed['public-url'] !== undefined && { publicURL: parsed['public-url'] as string }),
    ...(parsed.https && { https: true }),
    ...(parsed.control && { control: config.control || true }),
  };
  if (parsed['ca-file'] && options.https !== true) {
    throw usageError('--ca-file needs --https. Pass both.');
  }
  const token = process.env.MOCK_CONTROL_TOKEN;
  return options.control && token ? { ...options, control: { token } } : options;
}

async function start(options: MockProviderOptions, { config }: ParsedArguments): Promise<MockProvider> {
  try {
    return await startMockProvider(options);
  } catch (error) {
    const { code, message, port = options.port } = error as NodeJS.ErrnoException & { port?: number };
    if (code !== undefined) {
      throw new CommandError(`Cannot listen on ${options.host ?? '127.0.0.1'}, port ${port} (${code}).`);
    }
    throw new CommandError(config === undefined ? message : `${config}: ${message}`);
  }
}

function announce(provider: MockProvider, options: MockProviderOptions, parsed: ParsedArguments): void {
  const caFile = parsed['ca-file'] as string | undefined;
  if (caFile !== undefined) writeAuthority(caFile, provider);
  if (parsed.json) console.log(startLine(provider, options));
  if (parsed.env) console.log(siteSettings(provider, caFile));
  if (parsed.json) return;
  const print = parsed.env ? console.error : console.log;
  print(startText(provider, options, caFile));
}

function writeAuthority(file: string, { ca = '' }: MockProvider): void {
  try {
    writeFileSync(file, ca);
  } catch (error) {
    throw new CommandError(`Cannot write ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
