import { writeFileSync } from 'node:fs';
import { type MockProvider, type MockProviderOptions, startMockProvider } from '../mock-provider/mock-provider.js';
import { OptionError } from '../mock-provider/options/validate.js';
import { type ParsedArguments, readArguments, readNumber } from './arguments.js';
import { type Command, CommandError, type Option, usageError } from './command.js';
import { readConfigFile } from './config-file.js';
import { siteSettings, startLine, startText } from './start-message.js';
import { waitForStop } from './wait-for-stop.js';

const DEFAULT_PORT = 4400;
const DEFAULT_APP_URL = 'http://127.0.0.1:3000';

const OPTIONS: Readonly<Record<string, Option>> = {
  port: { value: 'number', help: `the port to listen on, 0 for any free port (default ${DEFAULT_PORT})` },
  host: { value: 'name', help: 'the address to listen on, and the host name of the issuer (default 127.0.0.1)' },
  'api-port': { value: 'number', help: 'the port of the resource API and the inbox (default: the same as --port)' },
  'public-url': {
    value: 'url',
    help: 'the issuer, if it is not host and port, such as http://mock:4400 of a container',
  },
  config: { value: 'file', help: 'reads clients, clinicians and all other options from a JSON file' },
  https: { help: 'serves https with a certificate that is generated at startup' },
  'ca-file': { value: 'file', help: 'with --https: writes the certificate to trust to this file, in PEM' },
  control: {
    help: 'opens the control API, /_mock/, to programs on this machine; with MOCK_CONTROL_TOKEN to those that send it',
  },
  json: { help: 'prints the URLs and credentials as one line of JSON' },
  env: { help: 'prints the settings of a site for its .env file, and all other output on stderr' },
  quiet: { help: 'prints nothing, and with --env only the settings' },
  'stop-with-stdin': { help: 'stops when its standard input ends, as it does when the parent process exits' },
  detached: { help: 'continues when the parent process ends. Otherwise it stops, except in a terminal' },
};

/** Runs `passport-clinician mock-provider`: the mock provider as its own process. */
export const mockProvider: Command = {
  name: 'mock-provider',
  summary: 'runs the whole clinician identity service on this machine, for tests and local development',
  options: OPTIONS,
  async run(args) {
    const parsed = readArguments('mock-provider', args, OPTIONS);
    refuseTogether(parsed, 'json', 'quiet');
    refuseTogether(parsed, 'json', 'env');
    refuseTogether(parsed, 'stop-with-stdin', 'detached');
    const config = parsed.config === undefined ? undefined : readConfigFile(parsed.config as string);
    const options = mergeOptions(parsed, config);
    const provider = await start(options, config, parsed);
    try {
      announce(provider, options, parsed);
      const stopWithStdin = parsed['stop-with-stdin'] === true;
      const isParentGone = await waitForStop({ stopWithStdin, isDetached: parsed.detached === true });
      if (isParentGone && !stopWithStdin && !parsed.quiet) {
        console.error('Stopped, because the process that started it has ended. --detached keeps it.');
      }
    } finally {
      await provider.stop();
    }
    return 0;
  },
};

function refuseTogether(parsed: ParsedArguments, one: string, other: string): void {
  if (!parsed[one] || !parsed[other]) return;
  throw usageError(`--${one} and --${other} exclude each other. Pass only one of them.`);
}

/** Merges the options of the command line and of the config file. The command line overrides the file. */
function mergeOptions(parsed: ParsedArguments, config: MockProviderOptions | undefined): MockProviderOptions {
  const options: MockProviderOptions = {
    port: DEFAULT_PORT,
    ...config,
    ...(parsed.port !== undefined && { port: readNumber('port', parsed.port as string, 0, 65_535) }),
    ...(parsed['api-port'] !== undefined && {
      apiPort: readNumber('api-port', parsed['api-port'] as string, 0, 65_535),
    }),
    ...(parsed.host !== undefined && { host: parsed.host as string }),
    ...(parsed['public-url'] !== undefined && { publicURL: parsed['public-url'] as string }),
    ...(parsed.https && { https: true }),
    ...controlOption(parsed, config),
  };
  if (parsed['ca-file'] && options.https !== true) {
    throw usageError('--ca-file is for the certificate that --https generates. Pass both.');
  }
  return options;
}

/** MOCK_CONTROL_TOKEN overrides the token of the config file wherever the control API is open. */
function controlOption(
  parsed: ParsedArguments,
  config: MockProviderOptions | undefined,
): Pick<MockProviderOptions, 'control'> {
  const control = config?.control || parsed.control === true;
  const token = process.env.MOCK_CONTROL_TOKEN;
  return control ? { control: token ? { token } : control } : {};
}

async function start(
  options: MockProviderOptions,
  config: MockProviderOptions | undefined,
  parsed: ParsedArguments,
): Promise<MockProvider> {
  try {
    return await startMockProvider(options);
  } catch (error) {
    const { code, message, port = options.port } = error as NodeJS.ErrnoException & { port?: number };
    if (code !== undefined) {
      throw new CommandError(`Cannot listen on ${options.host ?? '127.0.0.1'}, port ${port} (${code}).`);
    }
    if (error instanceof OptionError) throw describeOption(error, config, parsed);
    throw new CommandError(message);
  }
}

/** The options of the provider that have an option of the command, and what else allows a refused value. */
const FLAGS: Readonly<Record<string, { readonly flag: string; readonly alternative?: string }>> = {
  port: { flag: 'port' },
  apiPort: { flag: 'api-port' },
  host: {
    flag: 'host',
    alternative:
      'Or pass --https, or --public-url with the address of a proxy that terminates TLS or of this container.',
  },
  publicURL: { flag: 'public-url', alternative: 'Or leave out --https to serve plain http.' },
  https: { flag: 'https' },
  control: {
    flag: 'control',
    alternative:
      'Leave out --host and --public-url, or set MOCK_CONTROL_TOKEN to a token such as the output of "openssl rand -hex 16".',
  },
};

/** @returns an error in the terms of its origin: an option of the command, the variable or the config file. */
function describeOption(
  error: OptionError,
  config: MockProviderOptions | undefined,
  parsed: ParsedArguments,
): CommandError {
  const { message, path, phrase, alternative } = error;
  if (path.join('.') === 'control.token' && process.env.MOCK_CONTROL_TOKEN) {
    return new CommandError(`MOCK_CONTROL_TOKEN ${phrase}`);
  }
  const name = String(path[0]);
  const option = FLAGS[name];
  const isPassed = option !== undefined && parsed[option.flag] !== undefined;
  if (!isPassed && Object.hasOwn(config ?? {}, name)) return new CommandError(`${parsed.config}: ${message}`);
  if (option === undefined) return new CommandError(message);
  const parts = [`--${option.flag}`, phrase, alternative && option.alternative];
  return new CommandError(parts.filter(Boolean).join(' '));
}

function announce(provider: MockProvider, options: MockProviderOptions, parsed: ParsedArguments): void {
  const caFile = parsed['ca-file'] as string | undefined;
  if (caFile !== undefined) writeAuthority(caFile, provider);
  if (parsed.json) console.log(startLine(provider, options));
  if (parsed.env) console.log(siteSettings(provider, siteAddress(), caFile));
  if (parsed.json || parsed.quiet) return;
  const print = parsed.env ? console.error : console.log;
  print(startText(provider, options, caFile));
}

/** @returns the public address of the site, APP_URL, or a usual one. */
function siteAddress(): string {
  const { APP_URL = '' } = process.env;
  if (APP_URL.trim() === '') return DEFAULT_APP_URL;
  if (/^https?:/i.test(APP_URL) && URL.canParse(APP_URL)) return new URL(APP_URL).href.replace(/\/$/, '');
  throw usageError(`APP_URL must be the address of the site, such as ${DEFAULT_APP_URL}.`);
}

function writeAuthority(file: string, { ca = '' }: MockProvider): void {
  try {
    writeFileSync(file, ca);
  } catch (error) {
    throw new CommandError(`Cannot write ${file} (${(error as NodeJS.ErrnoException).code}).`);
  }
}
