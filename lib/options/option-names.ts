import type { CodeOf } from '../error-codes.js';
import { ConfigurationError } from '../errors.js';

const OPTION_NAMES = [
  'issuer',
  'apiURL',
  'shareScriptURL',
  'clientID',
  'clientSecret',
  'callbackURL',
  'secret',
  'flow',
  'scope',
  'allowedEndpointOrigins',
  'ca',
  'timeout',
  'fetch',
  'clock',
] as const;

/** Names that people bring along from other libraries, each with the name it has here. */
const KNOWN_BY_OTHER_NAMES: Readonly<Record<string, string>> = {
  redirecturi: 'callbackURL',
  redirecturl: 'callbackURL',
  redirecturis: 'callbackURL',
  issuerbaseurl: 'issuer',
  authurl: 'issuer',
  authorizationurl: 'issuer',
  tokenurl: 'issuer',
  discoveryurl: 'issuer',
  baseurl: 'apiURL',
  sessionsecret: 'secret',
  cookiesecret: 'secret',
  secrets: 'secret',
  scopes: 'scope',
  form: 'flow',
};

const NEVER_NEEDED: Readonly<Record<string, string>> = {
  store: 'each login attempt is kept in a sealed cookie of its own',
  sessionKey: 'each login attempt is kept in a sealed cookie of its own',
  proxy: "'callbackURL' is absolute, so no proxy header is ever asked",
  scopeSeparator: 'the service separates scope words by a space',
};

/** Edit distance, for "did you mean". */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next[j] = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, substitution);
    }
    row = next;
  }
  return row[b.length] as number;
}

/** @returns the name that was probably meant. @internal */
export function closestName(given: string, names: readonly string[]): string | undefined {
  return names.find((name) => distance(name.toLowerCase(), given.toLowerCase()) <= 2);
}

/** Throws a sentence for every option whose name is not known, naming the one that was probably meant. @internal */
export function refuseUnknownOptions(options: object, more: readonly string[]): void {
  if (typeof options !== 'object' || options === null) {
    failOption(
      'option_missing',
      'pass an object of options: at least issuer, clientID, clientSecret, callbackURL and secret.',
    );
  }
  const names: string[] = [...OPTION_NAMES, ...more];
  for (const given of Object.keys(options)) {
    if (names.includes(given)) continue;
    const unneeded = Object.hasOwn(NEVER_NEEDED, given) ? NEVER_NEEDED[given] : undefined;
    if (unneeded) failOption('option_unknown', `option '${given}' is not needed here: ${unneeded}. Remove it.`);
    const plain = given.toLowerCase().replaceAll(/[^a-z]/g, '');
    const other = Object.hasOwn(KNOWN_BY_OTHER_NAMES, plain) ? KNOWN_BY_OTHER_NAMES[plain] : undefined;
    const meant = other ?? closestName(plain, names);
    if (meant) failOption('option_misspelled', `unknown option '${given}'. Did you mean '${meant}'?`);
    failOption('option_unknown', `unknown option '${given}'. The options are: ${names.join(', ')}.`);
  }
}

/** Refuses an option by a sentence that names it and the fix. @internal */
export function failOption(code: CodeOf<'ConfigurationError'>, sentence: string): never {
  throw new ConfigurationError(code, `passport-clinician: ${sentence}`);
}
