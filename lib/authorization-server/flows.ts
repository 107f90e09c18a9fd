import type { Problem } from '../schema.js';

/** A scope as the list of its tokens. On the wire it is one space-delimited string (RFC 6749 section 3.3). */
export type Scope = readonly string[];

/** Scope-tokens and spaces (RFC 6749 section 3.3). */
export const SCOPE: RegExp = /^[\x20\x21\x23-\x5B\x5D-\x7E]*$/;

/** @returns the tokens of a scope in their order, each once. Accepts the string of the wire, an array, or undefined. */
export function parseScope(scope: string | readonly string[] | undefined): string[] {
  if (scope === undefined) return [];
  const text = typeof scope === 'string' ? scope : scope.join(' ');
  return [...new Set(text.match(/[^ ]+/g))];
}

/** @returns true if each token of a scope is in the other one. */
export function isWithin(scope: Scope, allowed: Scope): boolean {
  return scope.every((token) => allowed.includes(token));
}

/** Names a form of the authorization code flow: `openid` is OpenID Connect with PKCE, `profile` is OAuth 2.0 with profile scopes. */
export type FlowName = 'profile' | 'openid';

/** A flow as data. No other file depends on the name of the flow. */
export interface Flow {
  readonly name: FlowName;
  readonly defaultScope: readonly string[];
  /** Every scope that the service spec defines for this flow. Undefined at a provider without its resource API: any may be requested. */
  readonly knownScopes: readonly string[] | undefined;
  /** Other scopes, which may be requested if the service lists them in its metadata (`scopes_supported`). */
  readonly listedScopes: readonly string[];
  /** The scopes that count as granted only if the token response or the profile shows it: the user approves them separately. */
  readonly separateScope: readonly string[];
  /** The scopes that the flow cannot work without. */
  readonly requiredScope: readonly string[];
  /** Client authentication at the token endpoint. At the revocation endpoint it is always Basic. */
  readonly clientAuthentication: 'client_secret_post' | 'client_secret_basic';
  readonly pkce: boolean;
  readonly nonce: boolean;
  readonly expectsIDToken: boolean;
  /** Whether the authorization request has the parameter `type` (service spec, GET /oauth/authorize). */
  readonly landingPages: boolean;
  readonly identityFrom: 'profile' | 'id_token';
  /** Whether the endpoints are read from the metadata document, or are the service's fixed paths. */
  readonly discovery: boolean;
  /** The lifetime of an access token in seconds if the token response has none (the samples of the service spec). */
  readonly accessTokenLifetime: number;
}

/** Both flows, from the table in "What the service does" of the service spec. */
export const flows: Readonly<Record<FlowName, Flow>> = {
  profile: {
    name: 'profile',
    defaultScope: ['basic'],
    knownScopes: ['basic', 'colleagues', 'email'],
    listedScopes: [],
    separateScope: ['email'],
    requiredScope: ['basic'],
    clientAuthentication: 'client_secret_post',
    pkce: false,
    nonce: false,
    expectsIDToken: false,
    landingPages: true,
    identityFrom: 'profile',
    discovery: false,
    accessTokenLifetime: 3600,
  },
  openid: {
    name: 'openid',
    defaultScope: ['openid'],
    knownScopes: ['openid', 'basic', 'colleagues', 'email'],
    // OIDC Core section 11: asks for a refresh token, which some services return only then.
    listedScopes: ['offline_access'],
    separateScope: [],
    requiredScope: ['openid'],
    clientAuthentication: 'client_secret_basic',
    pkce: true,
    nonce: true,
    expectsIDToken: true,
    landingPages: false,
    identityFrom: 'id_token',
    discovery: true,
    accessTokenLifetime: 1800,
  },
};

/** Names a flow, and the resource API of the service. Another OpenID Connect provider has none. */
export interface FlowChoice {
  readonly flow: FlowName;
  readonly apiURL?: string | undefined;
}

/** @returns the flow, with the scopes that may be requested. */
export function flowOf({ flow, apiURL }: FlowChoice): Flow {
  return apiURL ? flows[flow] : { ...flows[flow], knownScopes: undefined, listedScopes: [] };
}

/** @returns what is wrong with the requested scope of a flow. */
export function scopeProblem(flow: Flow, scope: Scope): Extract<Problem, object> | undefined {
  const { name, knownScopes, listedScopes, requiredScope, expectsIDToken } = flow;
  if (!SCOPE.test(scope.join(' ')))
    return { phrase: 'has characters that RFC 6749 section 3.3 does not allow. Separate the scopes by spaces.' };
  const unknown = knownScopes && scope.find((token) => ![...knownScopes, ...listedScopes].includes(token));
  if (unknown !== undefined) {
    const listed = listedScopes.map((token) => `; ${token} if the metadata of the service lists it`).join('');
    const other = expectsIDToken ? ' Without apiURL, as at another OpenID Connect provider, any scope is allowed.' : '';
    const phrase = `has a scope which the '${name}' flow does not have. Its scopes are: ${knownScopes?.join(', ')}${listed}.${other}`;
    return { phrase, detail: `Remove '${unknown}'.` };
  }
  const missing = requiredScope.find((token) => !scope.includes(token));
  if (missing === undefined) return undefined;
  const phrase = `must have '${missing}' in the '${name}' flow: it identifies the user.`;
  return { phrase, detail: `Add it: scope: '${[missing, ...scope].join(' ')}'.` };
}

/** The secret values of one login attempt: new for each, and known to this site only (RFC 9700 section 2.1). */
export interface TransactionSecrets {
  state: string;
  /** Only in a flow with an ID Token. */
  nonce?: string;
  /** Only in a flow with PKCE (RFC 7636). */
  codeVerifier?: string;
}

/** @param derive returns a random value for a label @returns the secret values that an attempt of this flow has, for this `state` */
export function transactionSecrets(
  { nonce, pkce }: Flow,
  state: string,
  derive: (label: string) => string,
): TransactionSecrets {
  return { state, ...(nonce && { nonce: derive('nonce') }), ...(pkce && { codeVerifier: derive('code verifier') }) };
}
