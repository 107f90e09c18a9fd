import { type FlowName, flows, scopeProblem } from '../authorization-server/flows.js';
import type { Clock } from '../clock.js';
import { createFetch, type Fetch } from '../http.js';
import { parseScope } from '../scope.js';
import { Secret } from '../secret.js';
import { failIf, type OptionProblem } from './option-table.js';
import type { RelyingPartyOptions } from './options.js';

/** Holds checked options with their defaults. Secrets are wrapped, so that they are not printed. @internal */
export interface ResolvedOptions {
  issuer: string;
  apiURL: string | undefined;
  shareScriptURL: string | undefined;
  clientID: string;
  clientSecret: Secret;
  callbackURL: string;
  origin: string;
  secure: boolean;
  secrets: readonly Secret[];
  flow: FlowName;
  scope: readonly string[];
  allowedEndpointOrigins: readonly string[];
  fetch: Fetch;
  clock: Clock;
}

type CheckedOptions = RelyingPartyOptions &
  Required<Pick<RelyingPartyOptions, 'flow' | 'allowedEndpointOrigins' | 'clock'>>;

/**
 * Checks the options against each other.
 * @param checked options that `checkOptions()` returned
 * @returns what the modules of a sign-in need. Throws a {@link ConfigurationError} that names the option and the fix. @internal
 */
export function resolveOptions(checked: RelyingPartyOptions): ResolvedOptions {
  const options = checked as CheckedOptions;
  const { issuer, clientID, callbackURL, flow, apiURL, shareScriptURL, allowedEndpointOrigins, clock, ca, timeout } =
    options;
  failIf('scope', scopeOptionProblem(flow, options.scope));
  const scope = scopeOf(flow, options.scope);
  failIf('apiURL', missingAPIURL(scope, apiURL));
  const { origin, protocol } = new URL(callbackURL);
  return {
    issuer,
    apiURL: apiURL?.replace(/\/$/, ''),
    shareScriptURL,
    clientID,
    clientSecret: new Secret(options.clientSecret),
    callbackURL,
    origin,
    secure: protocol === 'https:',
    secrets: [options.secret].flat().map((secret) => new Secret(secret)),
    flow,
    scope,
    allowedEndpointOrigins,
    fetch: options.fetch ?? createFetch({ ...(ca && { ca }), ...(timeout && { timeout }) }),
    clock,
  };
}

function scopeOf(flow: FlowName, scope: RelyingPartyOptions['scope']): readonly string[] {
  const tokens = parseScope(scope);
  return tokens.length === 0 ? flows[flow].defaultScope : tokens;
}

/** @returns what is wrong with the option `scope`. @internal */
export function scopeOptionProblem(flow: FlowName, value: RelyingPartyOptions['scope']): OptionProblem | undefined {
  const phrase = scopeProblem(flows[flow], scopeOf(flow, value));
  return phrase === undefined ? undefined : { code: 'option_invalid', phrase };
}

/** @returns the problem of an API address that is missing although the profile is read. @internal */
export function missingAPIURL(scope: readonly string[], apiURL: string | undefined): OptionProblem | undefined {
  if (apiURL || !scope.includes('basic')) return undefined;
  const phrase = "is missing: scope 'basic' reads the profile from the resource API. Pass its address.";
  return { code: 'option_missing', phrase };
}
