import { readArguments } from './arguments.js';
import { type Command, type Option, readTextFile } from './command.js';

const OPTIONS: Readonly<Record<string, Option>> = {
  'callback-path': { value: 'path', help: 'the path of the callback URL (default /auth/callback)' },
  'endpoint-origin': { value: 'url', help: 'an origin of the option allowedEndpointOrigins' },
  'ca-file': { value: 'file', help: 'the certificate of a private certificate authority, in PEM' },
};

/** Runs `passport-clinician doctor`: checks a site's settings before it goes live. */
export const doctor: Command = {
  name: 'doctor',
  summary: "checks a site's settings, and the service behind them, before it goes live",
  options: OPTIONS,
  notes: `The settings are those of clinicianLogin.fromEnv(), read from the environment.
No secret is printed. The exit code is 1 if there is a problem.`,
  async run(args) {
    const parsed = readArguments('doctor', args, OPTIONS) as Readonly<Record<string, string>>;
    // Loaded here, because the command mock-provider does not need it.
    const { runChecks } = await import('./doctor-checks.js');
    const caFile = parsed['ca-file'];
    const results = await runChecks(process.env, {
      callbackPath: parsed['callback-path'],
      endpointOrigin: parsed['endpoint-origin'],
      ca: caFile === undefined ? undefined : readTextFile(caFile),
    });
    for (const { outcome, check, message } of results) {
      console.log(`  ${outcome.padEnd(9)}${check.padEnd(15)}${message.replaceAll('\n', `\n${' '.repeat(24)}`)}`);
    }
    return results.some(({ outcome }) => outcome === 'problem') ? 1 : 0;
  },
};
