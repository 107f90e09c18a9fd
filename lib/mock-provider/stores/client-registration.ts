import type { FlowName } from '../flow.js';
import { nearest, refuseUnknownNames, requireText } from '../option-check.js';
import { redirectURIFault } from '../protocol/redirect-uri.js';
import { DEFAULT_ALLOWED_SCOPE, isScopeText, SCOPES, scopeWords } from '../protocol/scopes.js';
import { randomToken } from '../random.js';

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
  responseTypes?: readonly ('code' | 'code id_token')[];
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
  readonly responseTypes: readonly string[];
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
];
const PRINTABLE = /^[\x20-\x7E]+$/;
const RESPONSE_TYPES = { openid: ['code', 'code id_token'], profile: ['code'] } as const;

/** @returns a registration with its defaults. Throws a sentence that names the option at fault and the cure. */
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
    scope: checkScope(registration.scope ?? DEFAULT_ALLOWED_SCOPE[flow]),
    developer: registration.developer ?? 'developer',
    name: registration.name ?? clientID,
    requirePKCE: registration.requirePKCE ?? flow === 'openid',
    allowLoopbackPort: registration.allowLoopbackPort ?? false,
    responseTypes: registration.responseTypes ?? RESPONSE_TYPES[flow],
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

function checkScope(scope: string | readonly string[]): string[] {
  const text = typeof scope === 'string' ? scope : scope.join(' ');
  const words = scopeWords(text);
  for (const word of words) {
    if (SCOPES.has(word)) continue;
    const meant = nearest(word, [...SCOPES.keys()]);
    const cure = meant === undefined ? `Known are: ${[...SCOPES.keys()].join(', ')}.` : `Did you mean ${meant}?`;
    throw new TypeError(`There is no scope ${JSON.stringify(word)}. ${cure}`);
  }
  if (!isScopeText(text)) throw new TypeError('scope must hold at least one word, such as scope: "openid basic".');
  return words;
}
