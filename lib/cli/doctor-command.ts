import { readArguments } from './arguments.js';
import { type Command, type Option, usageError } from './command.js';

const OPTIONS: Readonly<Record<string, Option>> = {
  issuer: { value: 'url', help: 'overrides CLINICIAN_ISSUER' },
  'api-url': { value: 'url', help: 'overrides CLINICIAN_API_URL' },
  'client-id': { value: 'id', help: 'overrides CLINICIAN_CLIENT_ID' },
  flow: { value: 'name', help: 'overrides CLINICIAN_FLOW: openid or profile' },
  scope: { value: 'scopes', help: 'overrides CLINICIAN_SCOPE' },
  'app-url': { value: 'url', help: 'overrides APP_URL: the public address of the site' },
  'callback-path': { value: 'path', help: 'the path of the callback URL (default /auth/callback)' },
  'post-logout-redirect-uri': {
    value: 'url',
    help: 'the option postLogoutRedirectURI (default: /auth/logged-out of the site)',
  },
  'endpoint-origin': { value: 'url', help: 'an origin of the option allowedEndpointOrigins' },
  'ca-file': { value: 'file', help: 'the certificate of a private certificate authority, in PEM' },
  folder: { value: 'path', help: 'the folder of the site and its packages (default: the current one)' },
  json: { help: 'prints the results as one line of JSON' },
};

/** Runs `passport-clinician doctor`: checks a site's settings before it goes live. */
export const doctor: Command = {
  name: 'doctor',
  summary: "checks a site's settings, and the service behind them, before it goes live",
  options: OPTIONS,
  notes: `Secrets are read only from the environment: CLINICIAN_CLIENT_SECRET, SESSION_SECRET, REDIS_URL.
They are never printed. The exit code is 1 if there is a problem.`,
  async run(args) {
    refuseSecrets(args);
    const parsed = readArguments('doctor', args, OPTIONS);
    // Loaded here, because the command mock-provider does not need them.
    const { runChecks } = await import('./doctor/run-checks.js');
    const { readSettings } = await import('./doctor/settings.js');
    const { hasNoProblems, reportLine, reportText } = await import('./doctor/check-result.js');
    const results = await runChecks(readSettings(parsed, process.env));
    console.log(parsed.json ? reportLine(results) : reportText(results));
    return hasNoProblems(results) ? 0 : 1;
  },
};

function refuseSecrets(args: readonly string[]): void {
  if (!args.some((arg) => /^--[a-z-]*(?:secret|password|redis)/.test(arg))) return;
  throw usageError(
    'doctor has no option for a secret: other users can read a command line. Set CLINICIAN_CLIENT_SECRET, SESSION_SECRET and REDIS_URL in the environment.',
  );
}
