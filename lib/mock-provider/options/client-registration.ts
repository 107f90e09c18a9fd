import { redirectURIFault } from '../protocol/redirect-uri.js';
import { DEFAULT_ALLOWED_SCOPE, EVERY_SCOPE, isScopeText, scopeWords } from '../protocol/scopes.js';
import { randomToken } from '../state/random.js';
import type { FlowName } from './flow.js';
import { closestName, refuseUnknownNames, requireText } from './option-check.js';

type ResponseType = 'code' | 'code id_token';
type GrantType = 'authorization_code' | 'refresh_token';

/** An application as a developer registers it. */
export interface ClientRegistration {
  /** @default a random one */
  clientID?: string;
  /** @default a random one */
  clientSecret?: string;
  /** `profile` is Form A of the service spec, `openid` is Form B. */
  flow: FlowName;
  /** Compared byte for byte (decision 13). */
  redirectURIs: readonly string[];
  /** Compared byte for byte (decision 78). @default [] */
  postLogoutRedirectURIs?: readonly string[];
  /** The scope that it may ask for. @default `openid` alone for the openid flow, `basic colleagues email` for the profile flow */
  scope?: string | readonly string[];
  /** Whose access code this is: nobody may hold more than 25. @default 'developer' */
  developer?: string;
  /** Shown on the consent page. @default the clientID */
  name?: string;
  /** False lets an openid client do without PKCE: for conformance runs only. @default true for the openid flow */
  requirePKCE?: boolean;
  /** True lets an http loopback redirect URI come with another port (RFC 8252 section 7.3). @default false */
  allowLoopbackPort?: boolean;
  /** @default `code` and `code id_token` for the openid flow, `code` for the profile flow */
  responseTypes?: readonly ResponseType[];
  /** @default both */
  grantTypes?: readonly GrantType[];
  /** `RS256` brings its UserInfo responses as signed JWTs (decision 85b). @default JSON */
  userinfoSignedResponseAlg?: 'RS256';
}

/** A registered application: what its site needs for its configuration. */
export interface RegisteredClient {
  readonly clientID: string;
  readonly clientSecret: string;
  readonly flow: FlowName;
  readonly scope: readonly string[];
  readonly redirectURIs: readonly string[];
  readonly postLogoutRedirectURIs: readonly string[];
}

/** @internal */
export interface CheckedRegistration extends RegisteredClient {
  readonly developer: string;
  readonly name: string;
  readonly requirePKCE: boolean;
  readonly allowLoopbackPort: boolean;
  readonly responseTypes: readonly ResponseType[];
  readonly grantTypes: readonly GrantType[];
  readonly userinfoSignedResponseAlg: 'RS256' | undefined;
  /** Any address of this machine will do: the two ready-made clients alone. */
  readonly anyLoopbackURI: boolean;
}

const NAMES = [
  'clientID',
  'clientSecret',
  'flow',
  'redirectURIs',
  'postLogoutRedirectURIs',
  'scope',
  'developer',
  'name',
  'requirePKCE',
  'allowLoopbackPort',
  'responseTypes',
  'grantTypes',
  'userinfoSignedResponseAlg',
];
const PRINTABLE = /^[\x20-\x7E]+$/;
const RESPONSE_TYPES: Readonly<Record<FlowName, readonly ResponseType[]>> = {
  openid: ['code', 'code id_token'],
  profile: ['code'],
};
const GRANT_TYPES: readonly GrantType[] = ['authorization_code', 'refresh_token'];

/** @returns a registration with its defaults. Throws a sentence that names the option at fault and the fix. */
export function checkRegistration(registration: ClientRegistration): CheckedRegistration {
  refuseUnknownNames(registration, NAMES, 'registerClient()');
  const { flow } = registration;
  if (flow !== 'openid' && flow !== 'profile') {
    throw new TypeError(
      `registerClient() needs flow: 'openid' (Form B) or 'profile' (Form A), not ${JSON.stringify(flow)}.`,
    );
  }
  const clientID = registration.clientID ?? randomToken();
  const clientSecret = registration.clientSecret ?? randomToken();
  requirePrintable(clientID, 'clientID');
  requirePrintable(clientSecret, 'clientSecret');
  const redirectURIs = checkURIs(registration.redirectURIs, 'redirectURIs');
  if (redirectURIs.length === 0) throw new TypeError('redirectURIs needs at least one address.');
  return {
    clientID,
    clientSecret,
    flow,
    redirectURIs,
    postLogoutRedirectURIs: checkURIs(registration.postLogoutRedirectURIs ?? [], 'postLogoutRedirectURIs'),
    scope: checkScope(registration.scope ?? DEFAULT_ALLOWED_SCOPE[flow], flow),
    developer: registration.developer ?? 'developer',
    name: registration.name ?? clientID,
    requirePKCE: registration.requirePKCE ?? flow === 'openid',
    allowLoopbackPort: registration.allowLoopbackPort ?? false,
    responseTypes: someOf(registration.responseTypes, RESPONSE_TYPES[flow], 'responseTypes'),
    grantTypes: someOf(registration.grantTypes, GRANT_TYPES, 'grantTypes'),
    userinfoSignedResponseAlg: checkSigning(registration.userinfoSignedResponseAlg),
    anyLoopbackURI: false,
  };
}

function requirePrintable(value: unknown, where: string): void {
  requireText(value, where);
  if (!PRINTABLE.test(value))
    throw new TypeError(`${where} may hold printable ASCII characters alone (RFC 6749 appendix A).`);
}

function checkURIs(uris: readonly string[], where: string): string[] {
  if (!Array.isArray(uris))
    throw new TypeError(`${where} must be an array of addresses, such as ['https://app.example/callback'].`);
  return uris.map((uri) => {
    requireText(uri, `Each of ${where}`);
    const fault = redirectURIFault(uri);
    if (fault !== undefined) throw new TypeError(`${where} cannot hold ${JSON.stringify(uri)}: it ${fault}.`);
    return uri;
  });
}

function checkScope(scope: string | readonly string[], flow: FlowName): string[] {
  const text = typeof scope === 'string' ? scope : scope.join(' ');
  const words = scopeWords(text);
  for (const word of words) {
    if (EVERY_SCOPE[flow].includes(word)) continue;
    const meant = closestName(word, EVERY_SCOPE[flow]);
    const fix = meant === undefined ? `Known are: ${EVERY_SCOPE[flow].join(', ')}.` : `Did you mean ${meant}?`;
    throw new TypeError(`There is no scope ${JSON.stringify(word)} in the ${flow} flow. ${fix}`);
  }
  if (!isScopeText(text)) throw new TypeError('scope must hold at least one word, such as scope: "openid basic".');
  return words;
}

function someOf<T extends string>(given: readonly T[] | undefined, known: readonly T[], where: string): readonly T[] {
  if (given === undefined) return known;
  if (Array.isArray(given) && given.length > 0 && given.every((one) => known.includes(one))) return given;
  throw new TypeError(`${where} must be an array of some of these: ${known.join(', ')}.`);
}

function checkSigning(alg: unknown): 'RS256' | undefined {
  if (alg === undefined || alg === 'RS256') return alg;
  throw new TypeError(`userinfoSignedResponseAlg must be 'RS256', or left out for JSON, not ${JSON.stringify(alg)}.`);
}
