import { flows } from '../../authorization-server/flows.js';
import { type OptionProblem, problemOf } from '../../options/option-table.js';
import { NEW_SECRET, relyingPartyOptions } from '../../options/options.js';
import { missingAPIURL, scopeOptionProblem } from '../../options/resolve-options.js';
import { parseScope } from '../../scope.js';
import { isLoopbackHost } from '../../url.js';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import { type Settings, VARIABLES } from './settings.js';

const MIN_DIFFERENT_CHARACTERS = 10;

/** Runs the checks of the options that the site runs at startup, and reports all problems at once. */
export function checkSettings(settings: Settings): CheckResult[] {
  const { issuer, apiURL, clientID, clientSecret, flow, scope } = settings;
  const values = { issuer, ...(apiURL !== '' && { apiURL }), clientID, clientSecret: clientSecret.reveal(), flow };
  const problems = Object.entries(values).flatMap(([name, value]) => optionResult('settings', name, value));
  problems.push(...resultOf('settings', 'apiURL', missingAPIURL(parseScope(scope), apiURL)));
  if (Object.hasOwn(flows, flow)) problems.push(...resultOf('settings', 'scope', scopeOptionProblem(flow, scope)));
  const padded = Object.entries(values).find(([, value]) => value !== value.trim())?.[0];
  if (padded !== undefined) {
    const message = `${VARIABLES[padded]} starts or ends with a space or a line break.`;
    problems.push(problem('settings', message, 'Remove it.'));
  }
  return problems.length > 0 ? problems : [ok('settings', `issuer, API, client, flow ${flow}, scope "${scope}"`)];
}

/** @returns the problem of an option's value, as the result of a check. */
function optionResult(check: string, name: string, value: unknown): CheckResult[] {
  return resultOf(check, name, problemOf(relyingPartyOptions[name as 'issuer'], value));
}

function resultOf(check: string, name: string, found: OptionProblem | undefined): CheckResult[] {
  const variable = VARIABLES[name] ?? name;
  return found ? [problem(check, `${variable} ${found.phrase}`, `Set ${variable}.`)] : [];
}

export function checkCallback(settings: Settings): CheckResult[] {
  const { callbackURL, callbackIsAssumed, production } = settings;
  const problems = optionResult('callback', 'callbackURL', callbackURL);
  if (problems.length > 0) return problems;
  const { hostname, protocol } = new URL(callbackURL);
  if (isLoopbackHost(hostname)) {
    const why = callbackIsAssumed ? 'APP_URL is missing, so the callback URL is' : 'The callback URL is';
    const result = production ? problem : warning;
    const fix = 'Set APP_URL to the public address of the site, such as https://app.example.';
    return [result('callback', `${why} ${callbackURL}, on the machine of the browser.`, fix)];
  }
  return [ok('callback', `${callbackURL}${protocol === 'https:' ? '' : ' (plain http)'}`)];
}

export function checkSecret({ sessionSecrets, clientSecret }: Settings): CheckResult[] {
  const secrets = sessionSecrets.map((secret) => secret.reveal());
  const problems = optionResult('secret', 'secret', secrets);
  if (problems.length > 0) return problems;
  if (secrets.includes(clientSecret.reveal())) {
    return [
      problem('secret', 'SESSION_SECRET is the same as the client secret, which the service also has.', NEW_SECRET),
    ];
  }
  if (secrets.some((secret) => new Set(secret).size < MIN_DIFFERENT_CHARACTERS)) {
    return [warning('secret', 'SESSION_SECRET has few different characters: it can be guessed.', NEW_SECRET)];
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
