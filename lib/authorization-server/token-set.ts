import { Secret } from '../secret.js';

/**
 * The token response as Passport's verify function is handed it (`params`): its members by their names on the wire.
 * The tokens among them can be read but do not show in a listing, in JSON or in a log.
 */
export type TokenParams = Record<string, unknown>;

/** The tokens of one grant, as they are kept. */
export interface TokenSet {
  accessToken: Secret;
  refreshToken?: Secret;
  idToken?: Secret;
  /** When the access token ends, in milliseconds since the Unix epoch. */
  expiresAt: number;
  /** What the access token is good for. */
  scope: string[];
  /** What the grant allows, where a refresh asked for less: the refresh token keeps it (RFC 6749 section 6). */
  grantedScope?: string[];
  /** The ID Token's `sub`. */
  subject?: string;
  /** The `session_state` of the authorization response: the server's word for its own session, for the session check. */
  sessionState?: string;
  /** When the person signed in at the service, in seconds since the Unix epoch: the ID Token's `auth_time`. */
  authTime?: number;
  params: TokenParams;
}

/** A token set with its secrets in the clear. For the token vault to seal, and for nothing else. */
export interface SerializedTokenSet extends Omit<TokenSet, 'accessToken' | 'refreshToken' | 'idToken'> {
  accessToken: string;
  refreshToken?: string;
  idToken?: string;
}

const PROTOTYPE_NAMES: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);
const TOKEN_NAME = /(?:^|_)token$/;

/** @returns the members of a token response as {@link TokenParams}. */
export function tokenParams(members: Record<string, unknown>): TokenParams {
  const params: TokenParams = {};
  for (const [name, value] of Object.entries(members)) {
    if (PROTOTYPE_NAMES.has(name)) continue;
    // A getter: `util.inspect` with `showHidden` lists what is not enumerable, but asks no getter.
    if (TOKEN_NAME.test(name)) Object.defineProperty(params, name, { get: () => value, configurable: true });
    else Object.defineProperty(params, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return params;
}

/** @returns plain JSON that {@link deserializeTokenSet} makes the same token set of. It holds the tokens in the clear: seal it at once. */
export function serializeTokenSet({ accessToken, refreshToken, idToken, ...rest }: TokenSet): SerializedTokenSet {
  return {
    ...rest,
    accessToken: accessToken.reveal(),
    ...(refreshToken && { refreshToken: refreshToken.reveal() }),
    ...(idToken && { idToken: idToken.reveal() }),
  };
}

/** @returns the token set that was sealed. */
export function deserializeTokenSet({ accessToken, refreshToken, idToken, ...rest }: SerializedTokenSet): TokenSet {
  return {
    ...rest,
    accessToken: new Secret(accessToken),
    ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
    ...(idToken !== undefined && { idToken: new Secret(idToken) }),
    params: tokenParams({
      ...rest.params,
      access_token: accessToken,
      ...(refreshToken !== undefined && { refresh_token: refreshToken }),
      ...(idToken !== undefined && { id_token: idToken }),
    }),
  };
}
