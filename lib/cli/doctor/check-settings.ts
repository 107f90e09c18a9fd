import { isClinicianError } from '../../errors.js';
import { type RelyingPartyOptions, resolveOptions } from '../../options/options.js';
import { isLoopbackHost } from '../../url.js';
import { type CheckResult, ok, problem, warning } from './check-result.js';
import { type Settings, VARIABLES } from './settings.js';

/** Options that nobody would refuse: each setting is tried among them, so that one fault does not hide the next. */
const FLAWLESS = {
  issuer: 'https://auth.example',
  apiURL: 'https://api.example',
  clientID: 'client',
  clientSecret: 'secret',
  callbackURL: 'https://app.example/auth/callback',
  secret: 'x'.repeat(32),
  flow: 'openid',
} as const satisfies RelyingPartyOptions;

const NEW_SECRET = "node -p \"require('node:crypto').randomBytes(32).toString('base64url')\"";
const FEWEST_DIFFERENT_CHARACTERS = 10;

/** What passport-clinician itself would say of the settings when the site starts, all of it at once. */
export function checkSettings(settings: Settings): CheckResult[] {
  const { issuer, apiURL, clientID, clientSecret, flow } = settings;
  const tried: Partial<RelyingPartyOptions>[] = [
    { issuer },
    { apiURL, scope: 'openid basic' },
    { clientID },
    { clientSecret: clientSecret.reveal() },
    { flow: flow as 'openid' },
  ];
  if (flow === 'openid' || flow === 'profile') tried.push({ flow, scope: settings.scope });
  const faults = tried.flatMap((options) => faultOf('settings', options));
  const name = ['issuer', 'apiURL', 'clientID', 'clientSecret'].find((one) => hasSpace(one, settings));
  if (name !== undefined) {
    faults.push(problem('settings', `${VARIABLES[name]} begins or ends with a space or a line break.`, 'Take it out.'));
  }
  return faults.length > 0 ? faults : [ok('settings', `issuer, API, client, flow ${flow}, scope "${settings.scope}"`)];
}

function hasSpace(name: string, settings: Settings): boolean {
  const value = settings[name as 'issuer' | 'clientSecret'];
  const text = typeof value === 'string' ? value : value.reveal();
  return text !== text.trim();
}

/** @returns the fault that one of the options has, as the finding of a check. */
function faultOf(check: string, options: Partial<RelyingPartyOptions>): CheckResult[] {
  try {
    resolveOptions({ ...FLAWLESS, ...options });
    return [];
  } catch (error) {
    if (!isClinicianError(error)) throw error;
    const name = /option '(\w+)'/.exec(error.message)?.[1] ?? Object.keys(options)[0] ?? '';
    const sentence = error.message
      .replace('passport-clinician: ', '')
      .replace(/option '(\w+)'/g, (text, option: string) => VARIABLES[option] ?? text);
    return [problem(check, sentence, `Set ${VARIABLES[name] ?? name}.`)];
  }
}

export function checkCallback(settings: Settings): CheckResult[] {
  const { callbackURL, callbackIsAssumed, production } = settings;
  const fault = faultOf('callback', { callbackURL });
  if (fault.length > 0) return fault;
  const { hostname, protocol } = new URL(callbackURL);
  if (isLoopbackHost(hostname)) {
    const why = callbackIsAssumed ? 'APP_URL is missing, so people come back to' : 'People come back to';
    const found = production ? problem : warning;
    const fix = 'Set APP_URL to the address that browsers reach this site at, such as https://app.example.';
    return [found('callback', `${why} ${callbackURL}, and that is their own machine.`, fix)];
  }
  return [ok('callback', `${callbackURL}${protocol === 'https:' ? '' : ' (plain http)'}`)];
}

export function checkSecret({ sessionSecret, clientSecret }: Settings): CheckResult[] {
  const secret = sessionSecret.reveal();
  const fault = faultOf('secret', { secret });
  if (fault.length > 0) return fault;
  const fix = `Make one with: ${NEW_SECRET}`;
  if (secret === clientSecret.reveal()) {
    return [problem('secret', 'SESSION_SECRET is the client secret, which the service knows, too.', fix)];
  }
  if (new Set(secret).size < FEWEST_DIFFERENT_CHARACTERS) {
    return [warning('secret', 'SESSION_SECRET is long, but has few different characters: it can be guessed.', fix)];
  }
  return [ok('secret', `SESSION_SECRET has ${Buffer.byteLength(secret)} bytes`)];
}

export function checkEnvironment({ production }: Settings): CheckResult {
  if (production) return ok('environment', 'NODE_ENV is production');
  const fix = 'Set NODE_ENV=production where the site is live.';
  return warning(
    'environment',
    'NODE_ENV is not production: Express then shows stacks to whoever meets an error.',
    fix,
  );
}
