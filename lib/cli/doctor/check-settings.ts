import { isLoopbackHost } from '../../http/url.js';
import type { VariableOption } from '../../options/environment.js';
import { NEW_SECRET } from '../../options/options.js';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import type { Settings } from './settings.js';

/** The checks that report the problems of a variable. */
const CHECKS: Partial<Record<VariableOption, string>> = { callbackURL: 'callback', secret: 'secret' };

/** Reports all problems with the variables at once, as the site does when it starts. */
function variableResults(check: string, { problems }: Settings): CheckResult[] {
  return problems
    .filter(({ option }) => (CHECKS[option] ?? 'settings') === check)
    .map(({ variable, phrase }) => problem(check, `${variable} ${phrase}`, `Set ${variable}.`));
}

export function checkSettings(settings: Settings): CheckResult[] {
  const { flow, scope } = settings;
  const problems = variableResults('settings', settings);
  return problems.length > 0 ? problems : [ok('settings', `issuer, API, client, flow ${flow}, scope "${scope}"`)];
}

export function checkCallback(settings: Settings): CheckResult[] {
  const { callbackURL, production } = settings;
  const problems = variableResults('callback', settings);
  if (problems.length > 0) return problems;
  const { hostname, protocol } = new URL(callbackURL);
  if (isLoopbackHost(hostname)) {
    const result = production ? problem : warning;
    const fix = 'Set APP_URL to the public address of the site, such as https://app.example.';
    return [result('callback', `The callback URL is ${callbackURL}, on the machine of the browser.`, fix)];
  }
  return [ok('callback', `${callbackURL}${protocol === 'https:' ? '' : ' (plain http)'}`)];
}

export function checkSecret(settings: Settings): CheckResult[] {
  const { sessionSecrets, clientSecret } = settings;
  const problems = variableResults('secret', settings);
  if (problems.length > 0) return problems;
  const secrets = sessionSecrets.map((secret) => secret.reveal());
  if (secrets.includes(clientSecret.reveal())) {
    return [
      problem('secret', 'SESSION_SECRET is the same as the client secret, which the service also has.', NEW_SECRET),
    ];
  }
  const bytes = secrets.map((secret) => Buffer.byteLength(secret));
  if (bytes.length === 1) return [ok('secret', `SESSION_SECRET has ${bytes[0]} bytes`)];
  return [
    ok('secret', `SESSION_SECRET has ${bytes.length} secrets, of ${bytes.join(', ')} bytes; the first one seals`),
  ];
}

export function checkEnvironment({ production }: Settings): CheckResult {
  if (production) return ok('environment', 'NODE_ENV is production');
  const fix = 'Set NODE_ENV=production for the live site.';
  return warning('environment', 'NODE_ENV is not production: Express exposes stack traces.', fix);
}
