import { type Option, readArguments } from './arguments.js';
import { usageError } from './command-error.js';
import type { Command } from './help.js';

const OPTIONS: Readonly<Record<string, Option>> = {
  issuer: { value: 'url', help: 'instead of CLINICIAN_ISSUER' },
  'api-url': { value: 'url', help: 'instead of CLINICIAN_API_URL' },
  'client-id': { value: 'id', help: 'instead of CLINICIAN_CLIENT_ID' },
  flow: { value: 'name', help: 'instead of CLINICIAN_FLOW: openid or profile' },
  scope: { value: 'words', help: 'instead of CLINICIAN_SCOPE' },
  'app-url': { value: 'url', help: 'instead of APP_URL: where browsers reach the site' },
  'callback-path': { value: 'path', help: 'where logins come back to (default /auth/callback)' },
  'endpoint-origin': { value: 'url', help: "an origin beside the issuer's that the site allows endpoints at" },
  'ca-file': { value: 'file', help: 'the certificate of a private authority, in PEM' },
  folder: { value: 'path', help: 'where the site and its packages are (default: here)' },
  json: { help: 'prints one line of JSON' },
};

/** `passport-clinician doctor`: looks at a site's settings before it goes live. */
export const doctor: Command = {
  name: 'doctor',
  summary: "checks a site's settings, and the service behind them, before it goes live",
  options: OPTIONS,
  notes: `Secrets come from the environment alone: CLINICIAN_CLIENT_SECRET, SESSION_SECRET, REDIS_URL.
None is ever printed. Exit code 1 means that something is a problem.`,
  async run(args) {
    refuseSecrets(args);
    const given = readArguments('doctor', args, OPTIONS);
    // Loaded now: the mock provider needs none of it to start.
    const [{ runChecks: examine }, { readSettings }, { hasNoProblems: isWell, reportLine, reportText }] =
      await Promise.all([
        import('./doctor/run-checks.js'),
        import('./doctor/settings.js'),
        import('./doctor/report.js'),
      ]);
    const findings = await examine(readSettings(given, process.env));
    console.log(given.json ? reportLine(findings) : reportText(findings));
    return isWell(findings) ? 0 : 1;
  },
};

function refuseSecrets(args: readonly string[]): void {
  const secret = args.map((arg) => /^--[a-z-]*(?:secret|password|redis)[a-z-]*/.exec(arg)?.[0]).find(Boolean);
  if (secret === undefined) return;
  throw usageError(
    `doctor takes no ${secret}: others can read a command line. Set CLINICIAN_CLIENT_SECRET, SESSION_SECRET and REDIS_URL in the environment.`,
  );
}
