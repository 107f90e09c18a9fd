import { closestName } from '../../errors/closest-name.js';
import { flag, oneOf, type Schema, text } from '../../schema.js';
import { randomToken } from '../http/random.js';
import { redirectURIProblem } from '../http/redirect-uri.js';
import { list, nonEmptyList, nonEmptyText, object } from './schema.js';
import { DEFAULT_ALLOWED_SCOPE, EVERY_SCOPE, type FlowName, isScopeText, scopeTokens } from './scopes.js';
import { type Path, quoted, validate, violationAt } from './validate.js';

/** A client as its developer registers it. */
export interface ClientRegistration {
  /** The `client_id`. @default a random one */
  clientID?: string;
  /** The `client_secret`. @default a random one */
  clientSecret?: string;
  /** `openid` is OpenID Connect with PKCE, `profile` is OAuth 2.0 with profile scopes. */
  flow: FlowName;
  /**
   * The addresses that a sign-in may return to, compared byte for byte. Plain http is for `localhost`, `*.localhost`, `127.0.0.1`
   * and `[::1]`, and for names of containers, such as `web`, if the provider is at such a name.
   */
  redirectURIs: readonly string[];
  /** The addresses that a sign-out may return to, compared byte for byte. @default [] */
  postLogoutRedirectURIs?: readonly string[];
  /** The scope that the client may request. @default `openid` for the openid flow, `basic colleagues email` for the profile flow */
  scope?: string | readonly string[];
  /** The developer who registers the client. A developer has 25 clients at most. @default 'developer' */
  developer?: string;
  /** Shown on the pages for sign-in and consent. @default the host of the redirect URI */
  name?: string;
  /** If false, an openid client may send requests without PKCE. For conformance runs only. @default true for the openid flow */
  requirePKCE?: boolean;
  /** The `response_type` values that the client may request. @default `code` and `code id_token` for the openid flow, `code` for the profile flow */
  responseTypes?: readonly ('code' | 'code id_token')[];
  /** The `grant_type` values that the client may use. @default both */
  grantTypes?: readonly ('authorization_code' | 'refresh_token')[];
  /**
   * How a client of the profile flow authenticates at the token endpoint. A client of the openid flow always uses
   * `client_secret_basic`. @default `client_secret_post` for the profile flow
   */
  tokenEndpointAuthMethod?: 'client_secret_post' | 'client_secret_basic';
}

/** The values of a registered client that its site needs in its configuration. */
export interface RegisteredClient {
  readonly clientID: string;
  readonly clientSecret: string;
  readonly flow: FlowName;
  readonly scope: readonly string[];
  readonly redirectURIs: readonly string[];
  readonly postLogoutRedirectURIs: readonly string[];
}

type ResponseType = NonNullable<ClientRegistration['responseTypes']>[number];
type AuthMethod = NonNullable<ClientRegistration['tokenEndpointAuthMethod']>;
type GrantType = NonNullable<ClientRegistration['grantTypes']>[number];

/** A registration with its defaults. @internal */
export interface CheckedRegistration extends RegisteredClient {
  readonly developer: string;
  readonly name: string | undefined;
  readonly requirePKCE: boolean;
  readonly responseTypes: readonly ResponseType[];
  readonly grantTypes: readonly GrantType[];
  readonly tokenEndpointAuthMethod: AuthMethod;
  /** Any address of this machine is accepted: true for the two default clients only. */
  readonly anyLoopbackURI: boolean;
}

const PRINTABLE = /^[\x20-\x7E]*$/;
const RESPONSE_TYPES: Readonly<Record<FlowName, readonly ResponseType[]>> = {
  openid: ['code', 'code id_token'],
  profile: ['code'],
};
const GRANT_TYPES: readonly GrantType[] = ['authorization_code', 'refresh_token'];
const AUTH_METHODS: Readonly<Record<FlowName, AuthMethod>> = {
  openid: 'client_secret_basic',
  profile: 'client_secret_post',
};

const printable: Schema<string> = {
  ...nonEmptyText,
  check: (value) =>
    PRINTABLE.test(value) ? undefined : 'must have printable ASCII characters only (RFC 6749 appendix A).',
};

const uris = { type: "an array of addresses such as ['https://app.example/callback']" };

export const flow: Schema<FlowName> = oneOf('openid', 'profile');

const isTextOrArray = (value: unknown) => text.isValid(value) || Array.isArray(value);

/** Validates {@link ClientRegistration}. */
export const clientRegistration: Schema<ClientRegistration> = object(
  { flow, redirectURIs: { ...nonEmptyList(text), ...uris } },
  {
    clientID: printable,
    clientSecret: { ...printable, isSecret: true },
    postLogoutRedirectURIs: { ...list(text), ...uris },
    scope: { type: 'a string or an array of strings', isValid: isTextOrArray, items: text },
    developer: nonEmptyText,
    name: nonEmptyText,
    requirePKCE: flag,
    responseTypes: nonEmptyList(oneOf(...RESPONSE_TYPES.openid)),
    grantTypes: nonEmptyList(oneOf(...GRANT_TYPES)),
    tokenEndpointAuthMethod: oneOf('client_secret_post', 'client_secret_basic'),
  },
);

/**
 * @param provider the host name of the provider
 * @param path where the registration is in the options of the call
 * @returns a registration with its defaults. Throws a TypeError.
 */
export function checkRegistration(
  registration: ClientRegistration,
  provider: string,
  path: Path = [],
): CheckedRegistration {
  validate(clientRegistration, registration, 'registerClient()', path);
  checkURIs(registration, provider, path);
  checkScope(registration, path);
  checkAuthMethod(registration, path);
  checkResponseTypes(registration, path);
  return withRegistrationDefaults(registration);
}

/** @returns a valid registration with its defaults. */
export function withRegistrationDefaults(registration: ClientRegistration): CheckedRegistration {
  const { flow, clientID = randomToken(), clientSecret = randomToken(), redirectURIs, scope } = registration;
  return {
    clientID,
    clientSecret,
    flow,
    redirectURIs,
    postLogoutRedirectURIs: registration.postLogoutRedirectURIs ?? [],
    scope: scope === undefined ? DEFAULT_ALLOWED_SCOPE[flow] : scopeTokens(scopeText(scope)),
    developer: registration.developer ?? 'developer',
    name: registration.name,
    requirePKCE: registration.requirePKCE ?? flow === 'openid',
    responseTypes: registration.responseTypes ?? RESPONSE_TYPES[flow],
    grantTypes: registration.grantTypes ?? GRANT_TYPES,
    tokenEndpointAuthMethod: registration.tokenEndpointAuthMethod ?? AUTH_METHODS[flow],
    anyLoopbackURI: false,
  };
}

function scopeText(scope: NonNullable<ClientRegistration['scope']>): string {
  return typeof scope === 'string' ? scope : scope.join(' ');
}

function checkURIs(registration: ClientRegistration, provider: string, path: Path): void {
  for (const name of ['redirectURIs', 'postLogoutRedirectURIs'] as const) {
    for (const [index, uri] of (registration[name] ?? []).entries()) {
      const problem = redirectURIProblem(uri, provider);
      if (problem !== undefined) throw violationAt([...path, name, index], `cannot be ${quoted(uri)}: it ${problem}.`);
    }
  }
}

function checkScope({ scope, flow }: ClientRegistration, path: Path): void {
  if (scope === undefined) return;
  const text = scopeText(scope);
  const known = EVERY_SCOPE[flow];
  const unknown = scopeTokens(text).find((token) => !known.includes(token));
  if (unknown !== undefined) {
    const closest = closestName(unknown, known);
    const fix = closest === undefined ? `The scopes are: ${known.join(', ')}.` : `Did you mean ${closest}?`;
    throw violationAt([...path, 'scope'], `has an unknown scope, ${quoted(unknown)}, for the ${flow} flow. ${fix}`);
  }
  if (isScopeText(text)) return;
  throw violationAt([...path, 'scope'], 'must have at least one scope, such as scope: "openid basic".');
}

function checkAuthMethod({ tokenEndpointAuthMethod, flow }: ClientRegistration, path: Path): void {
  if (flow === 'profile' || tokenEndpointAuthMethod !== 'client_secret_post') return;
  throw violationAt([...path, 'tokenEndpointAuthMethod'], "must be 'client_secret_basic' in the openid flow.");
}

function checkResponseTypes({ responseTypes, flow }: ClientRegistration, path: Path): void {
  const known = RESPONSE_TYPES[flow];
  const unknown = responseTypes?.find((type) => !known.includes(type));
  if (unknown === undefined) return;
  throw violationAt(
    [...path, 'responseTypes'],
    `cannot have '${unknown}' in the ${flow} flow. It has: ${known.join(', ')}.`,
  );
}
