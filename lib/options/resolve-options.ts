import {
  type FlowChoice,
  type FlowName,
  flowOf,
  flows,
  parseScope,
  scopeProblem,
} from '../authorization-server/flows.js';
import { createFetch, type Fetch, limitFetch } from '../http/http.js';
import { Secret } from '../sealing/secret.js';
import { failIf, type OptionProblem } from './option-table.js';
import { type CheckedOptions, type RelyingPartyOptions, relyingPartyOptions } from './options.js';

type Converted = 'apiURL' | 'clientSecret' | 'secret' | 'scope' | 'profileRequired' | 'fetch' | 'ca';

/** Checked options, most of them unchanged. Secrets are wrapped, so that they are not printed. @internal */
export interface ResolvedOptions extends Omit<CheckedOptions, Converted> {
  apiURL: string | undefined;
  clientSecret: Secret;
  secrets: readonly Secret[];
  /** The site's own origin, of `callbackURL`. */
  origin: string;
  secure: boolean;
  scope: readonly string[];
  profileRequired: boolean;
  fetch: Fetch;
  /** Closes the connections to the service, those of pending requests too. The site's own fetch has its own connections. */
  closeConnections: () => void;
}

/**
 * Checks the options against each other.
 * @param checked options that `checkOptions()` returned
 * @returns what the modules of a sign-in need. Throws a {@link ConfigurationError} that names the option and the fix. @internal
 */
export function resolveOptions(checked: RelyingPartyOptions): ResolvedOptions {
  const { clientSecret, secret, ca, ...options } = ownOptions(checked);
  const { flow, apiURL, timeout } = options;
  failIf('scope', scopeOptionProblem(options, options.scope));
  const scope = scopeOf(flow, options.scope);
  failIf('apiURL', missingAPIURL(scope, apiURL));
  const profileRequired = options.profileRequired ?? flows[flow].identityFrom === 'profile';
  failIf('profileRequired', profileRequiredProblem(flow, scope, profileRequired));
  const { origin, protocol } = new URL(options.callbackURL);
  const ownFetch = options.fetch ? undefined : createFetch({ timeout, ...(ca && { ca }) });
  return {
    ...options,
    apiURL: apiURL?.replace(/\/$/, ''),
    clientSecret: new Secret(clientSecret),
    // Before a rotation, a site may list its current secret as the previous one too.
    secrets: [...new Set([secret].flat())].map((text) => new Secret(text)),
    origin,
    secure: protocol === 'https:',
    scope,
    profileRequired,
    fetch: ownFetch ?? limitFetch(options.fetch as Fetch, timeout),
    closeConnections: () => ownFetch?.close(),
  };
}

/** @returns the options of every sign-in, without those of one entry only. */
function ownOptions(checked: RelyingPartyOptions): CheckedOptions {
  const own = Object.entries(checked).filter(([name]) => Object.hasOwn(relyingPartyOptions, name));
  return Object.fromEntries(own) as unknown as CheckedOptions;
}

function scopeOf(flow: FlowName, scope: RelyingPartyOptions['scope']): readonly string[] {
  const tokens = parseScope(scope);
  return tokens.length === 0 ? flows[flow].defaultScope : tokens;
}

/** @returns what is wrong with the option `scope`. @internal */
export function scopeOptionProblem(site: FlowChoice, value: RelyingPartyOptions['scope']): OptionProblem | undefined {
  return scopeProblem(flowOf(site), scopeOf(site.flow, value));
}

function profileRequiredProblem(flow: FlowName, scope: readonly string[], value: boolean): OptionProblem | undefined {
  if (!value && flows[flow].identityFrom === 'profile')
    return { phrase: `cannot be false in the '${flow}' flow, where the profile identifies the user. Remove it.` };
  if (!value || scope.includes('basic')) return undefined;
  return { phrase: `needs scope 'basic', which reads the profile. Add it: scope: '${[...scope, 'basic'].join(' ')}'.` };
}

/** @returns the problem of an API address that is missing although the profile is read. @internal */
export function missingAPIURL(scope: readonly string[], apiURL: string | undefined): OptionProblem | undefined {
  if (apiURL || !scope.includes('basic')) return undefined;
  const phrase = "is missing: scope 'basic' reads the profile from the resource API. Pass its address.";
  return { phrase };
}
