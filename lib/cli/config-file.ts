import type { MockProviderOptions } from '../mock-provider/mock-provider.js';
import { clientRegistration } from '../mock-provider/options/client-registration.js';
import { mockProviderOptions } from '../mock-provider/options/provider-options.js';
import { list, requiring } from '../mock-provider/options/schema.js';
import { validate } from '../mock-provider/options/validate.js';
import type { Schema } from '../schema.js';
import { CommandError, readTextFile } from './command.js';

/** The options of `startMockProvider()`. Each client has the id and the secret that its site is configured with. */
const configFile: Schema<MockProviderOptions> = {
  ...mockProviderOptions,
  members: {
    ...mockProviderOptions.members,
    clients: list(requiring(clientRegistration, ['clientID', 'clientSecret'])),
  },
};

/**
 * Reads a config file: JSON with the options of `startMockProvider()`.
 * Throws a {@link CommandError}, `file: message`, that never contains a secret.
 */
export function readConfigFile(file: string): MockProviderOptions {
  const options = parse(readTextFile(file), file);
  try {
    validate(configFile, options, 'The config file');
  } catch (error) {
    throw new CommandError(`${file}: ${(error as Error).message}`);
  }
  return options;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The message quotes the text after the first comma, or at its start, and that may be a secret.
    const { message } = error as Error;
    throw new CommandError(`${file} is not JSON. ${message.replace(/(?:, )?(?:\.{3})?"[\s\S]*$/, '')}`.trim());
  }
}
