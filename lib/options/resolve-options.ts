import type { ClientConfig } from '../authorization-server/client-config.js';
import {
  type FlowChoice,
  type FlowName,
  flowOf,
  flows,
  parseScope,
  scopeProblem,
} from '../authorization-server/flows.js';
import { type ClosableFetch, createFetch, limitFetch } from '../http/http.js';
import { isLoopbackHost } from '../http/url.js';
import { isProduction } from '../production.js';
import type { Problem } from '../schema.js';
import { Secret } from '../sealing/sealer.js';
import { failIf, type WithDefaults } from './option-table.js';
import type { RelyingPartyOptions } from './options.js';
import { type Routes, resolveRoutes } from './routes.js';
import type { Site } from './site.js';

/** Options with the defaults of their table. */
type CheckedOptions = SiteOptions &
  WithDefaults<Pick<SiteOptions, 'flow' | 'allowedEndpointOrigins' | 'timeout' | 'clock'>>;

/** The options that the site, its service and its sessions are made of. */
export interface SiteOptions extends RelyingPartyOptions {
  optionalScope?: string | readonly string[] | undefined;
  basePath?: string | undefined;
  routes?: Routes | undefined;
}

/** Checked options in groups. Secrets are wrapped, so that they are not printed. @internal */
export interface ResolvedOptions {
  readonly site: Site;
  /** This site as a client of the service. */
  readonly client: ClientConfig;
  readonly fetch: ClosableFetch;
  readonly secrets: readonly Secret[];
  readonly profileRequired: boolean;
  readonly shareScriptURL: string | undefined;
}

/**
 * Checks the options against each other.
 * @param checked options that `checkOptions()` returned
 * @returns what the modules of a sign-in need. Throws a {@link ConfigurationError} that names the option and the fix. @internal
 */
export function resolveOptions(checked: SiteOptions): ResolvedOptions {
  const { flow, timeout, allowedEndpointOrigins, ca, secret, shareScriptURL } = checked as CheckedOptions;
  failIf('scope', scopeOptionProblem({ ...checked, flow }, checked.scope));
  const site = siteOf(checked as CheckedOptions);
  failIf('apiURL', missingAPIURL(site.scope, site.apiURL));
  const profileRequired = checked.profileRequired ?? flows[flow].identityFrom === 'profile';
  failIf('profileRequired', profileRequiredProblem(flow, site.scope, profileRequired));
  const offered = [...site.scope, ...site.optionalScope];
  failIf('optionalScope', scopeOptionProblem(site, offered));
  failIf('apiURL', missingAPIURL(offered, site.apiURL));
  const { issuer, clientID, callbackURL: redirectURI, clock } = site;
  return {
    site,
    client: Object.freeze({
      ...{ issuer, clientID, redirectURI, clock, timeout },
      flow: flowOf(site),
      clientSecret: new Secret(checked.clientSecret),
      endpointOrigins: [new URL(issuer).origin, ...allowedEndpointOrigins],
    }),
    fetch: checked.fetch ? limitFetch(checked.fetch, timeout) : createFetch({ timeout, ca }),
    // Before a rotation, a site may list its current secret as the previous one too.
    secrets: Object.freeze([...new Set([secret].flat())].map((text) => new Secret(text))),
    profileRequired,
    shareScriptURL,
  };
}

function siteOf(checked: CheckedOptions): Site {
  const { callbackURL, issuer, clientID, flow, clock } = checked;
  const { origin, pathname: callbackPath, hostname } = new URL(callbackURL);
  return Object.freeze({
    origin,
    callbackURL,
    callbackPath,
    issuer,
    clientID,
    flow,
    apiURL: checked.apiURL?.replace(/\/+$/, ''),
    scope: scopeOf(flow, checked.scope),
    optionalScope: parseScope(checked.optionalScope),
    routes: resolveRoutes(callbackPath, checked.routes, checked.basePath),
    isDevelopment: isDevelopment(hostname),
    clock,
  });
}

/** @returns true if browsers may see what is for developers: a site that users can reach may lack NODE_ENV. */
function isDevelopment(callbackHost: string): boolean {
  if (['development', 'test'].includes(process.env.NODE_ENV ?? '')) return true;
  return !isProduction() && isLoopbackHost(callbackHost);
}

function scopeOf(flow: FlowName, scope: RelyingPartyOptions['scope']): readonly string[] {
  const tokens = parseScope(scope);
  return tokens.length === 0 ? flows[flow].defaultScope : tokens;
}

/** @returns what is wrong with the option `scope`. @internal */
export function scopeOptionProblem(site: FlowChoice, value: RelyingPartyOptions['scope']): Problem | undefined {
  return scopeProblem(flowOf(site), scopeOf(site.flow, value));
}

function profileRequiredProblem(flow: FlowName, scope: readonly string[], value: boolean): Problem | undefined {
  if (!value && flows[flow].identityFrom === 'profile')
    return `cannot be false in the '${flow}' flow, where the profile identifies the user. Remove it.`;
  if (!value || scope.includes('basic')) return undefined;
  return `needs scope 'basic', which reads the profile. Add it: scope: '${[...scope, 'basic'].join(' ')}'.`;
}

/** @returns the problem of an API address that is missing although the profile is read. @internal */
export function missingAPIURL(scope: readonly string[], apiURL: string | undefined): Problem | undefined {
  if (apiURL || !scope.includes('basic')) return undefined;
  return "is missing: scope 'basic' reads the profile from the resource API. Pass its address.";
}
