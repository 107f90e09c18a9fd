import { type FlowName, flows } from '../authorization-server/flows.js';
import { type Clock, systemClock } from '../clock.js';
import { createFetch, type Fetch } from '../http.js';
import { isScopeToken, parseScope } from '../scope.js';
import { Secret } from '../secret.js';
import { isSecureURL } from '../url.js';
import { failOption } from './option-names.js';

/** What every sign-in needs to know of the service and of this site. Checked in full when the site starts; nothing is fetched then. */
export interface RelyingPartyOptions {
  /** The authorization server, the spec's `{auth_url}`: an https URL, exactly as its metadata spells it. Plain http on loopback only. */
  issuer: string;
  /** The resource API, the spec's `{base_url}`. Needed as soon as a profile is read: in the `profile` flow, and with scope `basic`. */
  apiURL?: string;
  /** The host's share-button script, the spec's `{share_script_url}`. */
  shareScriptURL?: string;
  /** The client's id, as the service registered it. */
  clientID: string;
  /** The client's secret, as the service registered it. */
  clientSecret: string;
  /** The site's own absolute callback address, as the service registered it. It fixes the site's origin; the Host header is never asked. */
  callbackURL: string;
  /** At least 32 bytes, seals what is kept. An array rotates: the newest first seals, all of them open. */
  secret: string | readonly string[];
  /**
   * `openid` (Form B: OpenID Connect with PKCE) or `profile` (Form A: profile scopes).
   * @default 'openid'
   */
  flow?: FlowName;
  /**
   * What to ask the clinician for, as an array or one space-delimited string.
   * @default ['openid'] in the `openid` flow, ['basic'] in the `profile` flow
   */
  scope?: string | readonly string[];
  /**
   * Hosts besides the issuer's own that the service's metadata may name for its endpoints, as origins (`https://keys.service.example`).
   * @default []
   */
  allowedEndpointOrigins?: readonly string[];
  /** A certificate authority (PEM) to trust beside the public ones, for a service with a private one. */
  ca?: string;
  /**
   * How long one request to the service may take, in milliseconds.
   * @default 10_000
   */
  timeout?: number;
  /** Replaces the built-in HTTP client: a mock provider's `fetch`, or a site's own proxy. `ca` and `timeout` are then its own matter. */
  fetch?: Fetch;
  /** @default the machine's clock */
  clock?: Clock;
}

/** Checked options: every default filled in, every URL parsed, every secret out of sight. @internal */
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

function requireString(options: Partial<Record<string, unknown>>, name: string, example: string): string {
  const value = options[name];
  if (value === undefined || value === '' || value === null) {
    failOption('option_missing', `option '${name}' is missing. Pass ${example}.`);
  }
  if (typeof value !== 'string') failOption('option_invalid', `option '${name}' must be a string: ${example}.`);
  return value;
}

/** Checks an address that secrets or tokens travel to or from. @internal */
export function secureURL(name: string, value: string): URL {
  let url: URL;
  try {
    url = new URL(value);
  } catch {
    const isOfSite = name === 'callbackURL' || name === 'postLogoutRedirectURI';
    const example = isOfSite ? 'https://app.example/auth/callback' : 'https://service.example';
    failOption(
      'option_invalid',
      `option '${name}' must be an absolute URL such as ${example}, and '${value}' is none.`,
    );
  }
  if (!isSecureURL(url)) {
    failOption(
      'option_insecure',
      `option '${name}' must use https: '${value}' would send secrets in the clear. Plain http is for loopback (http://127.0.0.1) only.`,
    );
  }
  if (url.username || url.password)
    failOption('option_invalid', `option '${name}' must not hold a user name or password.`);
  if (value.includes('#') || value.includes('?')) {
    failOption(
      'option_invalid',
      `option '${name}' must have no query and no fragment. Remove what follows '?' or '#'.`,
    );
  }
  return url;
}

function resolveCallbackURL(value: string): URL {
  const url = secureURL('callbackURL', value);
  if (url.pathname === '/') {
    failOption(
      'option_invalid',
      "option 'callbackURL' needs a path of its own, such as https://app.example/auth/callback.",
    );
  }
  if (url.href !== value) {
    failOption(
      'option_invalid',
      `option 'callbackURL' must be spelled exactly as it travels: '${url.href}', not '${value}'.`,
    );
  }
  return url;
}

function resolveSecrets(value: unknown): Secret[] {
  const fix = "Make one with: node -p \"require('node:crypto').randomBytes(32).toString('base64url')\"";
  const given = Array.isArray(value) ? value : [value];
  if (value === undefined || value === '' || given.length === 0) {
    failOption('option_missing', `option 'secret' is missing: it seals what is kept. ${fix}`);
  }
  return given.map((secret: unknown) => {
    if (typeof secret !== 'string')
      failOption('option_invalid', `option 'secret' must be a string or an array of strings. ${fix}`);
    if (Buffer.byteLength(secret) < 32) {
      failOption('option_secret_short', `option 'secret' must be at least 32 bytes long. ${fix}`);
    }
    return new Secret(secret);
  });
}

function resolveScope(flow: FlowName, given: string | readonly string[] | undefined): readonly string[] {
  const { defaultScope, knownScopes, requiredScope } = flows[flow];
  const scope = parseScope(given);
  if (scope.length === 0) return defaultScope;
  for (const word of scope) {
    if (!isScopeToken(word))
      failOption('option_invalid', `option 'scope' holds a word with characters that RFC 6749 does not allow.`);
    if (!knownScopes.includes(word)) {
      failOption(
        'option_invalid',
        `option 'scope': '${word}' is not known in the '${flow}' flow. Its scopes are: ${knownScopes.join(', ')}.`,
      );
    }
  }
  const missing = requiredScope.find((word) => !scope.includes(word));
  if (missing !== undefined) {
    failOption(
      'option_invalid',
      `option 'scope' must hold '${missing}' in the '${flow}' flow: without it nobody can be known. Add it: scope: '${[missing, ...scope].join(' ')}'.`,
    );
  }
  return scope;
}

/** @returns the options checked and completed. Throws a {@link ConfigurationError} whose sentence names the option and the fix. @internal */
export function resolveOptions(options: RelyingPartyOptions): ResolvedOptions {
  const given = options as unknown as Record<string, unknown>;
  const issuer = requireString(given, 'issuer', "the authorization server's address");
  const clientID = requireString(given, 'clientID', 'the id that the service gave your application');
  const clientSecret = requireString(given, 'clientSecret', 'the secret that the service gave your application');
  const callback = requireString(
    given,
    'callbackURL',
    'your own callback address, such as https://app.example/auth/callback',
  );
  const flow = options.flow ?? 'openid';
  if (!Object.hasOwn(flows, flow))
    failOption('option_invalid', `option 'flow' must be 'openid' or 'profile', not '${String(flow)}'.`);
  secureURL('issuer', issuer);
  const callbackURL = resolveCallbackURL(callback);
  const scope = resolveScope(flow, options.scope);
  if (scope.includes('basic') && !options.apiURL) {
    failOption(
      'option_missing',
      "option 'apiURL' is missing: scope 'basic' reads the profile from the resource API. Pass its address.",
    );
  }
  if (options.apiURL) secureURL('apiURL', options.apiURL);
  if (options.shareScriptURL) secureURL('shareScriptURL', options.shareScriptURL);
  return {
    issuer,
    apiURL: options.apiURL?.replace(/\/$/, ''),
    shareScriptURL: options.shareScriptURL,
    clientID,
    clientSecret: new Secret(clientSecret),
    callbackURL: callback,
    origin: callbackURL.origin,
    secure: callbackURL.protocol === 'https:',
    secrets: resolveSecrets(options.secret),
    flow,
    scope,
    allowedEndpointOrigins: options.allowedEndpointOrigins ?? [],
    fetch:
      options.fetch ??
      createFetch({ ...(options.ca && { ca: options.ca }), ...(options.timeout && { timeout: options.timeout }) }),
    clock: options.clock ?? systemClock,
  };
}
