import { defined, PROTOTYPE_NAMES } from '../http/json.js';
import { hasMembers, type MemberTypes, Secret } from '../sealing/sealer.js';
import { claimsOf } from './id-token.js';

/**
 * The members of a token response, as Passport's verify function receives them (`params`), and `claims`: those of the validated
 * ID Token. Tokens and claims can be read, but are not enumerable: they do not appear in JSON or in a log.
 */
export type TokenParams = Record<string, unknown>;

/** The tokens of one grant, as they are stored. */
export interface TokenSet {
  accessToken: Secret;
  refreshToken?: Secret;
  idToken?: Secret;
  /** The expiry of the access token, in milliseconds since the Unix epoch. */
  expiresAt: number;
  /** The scope of the access token. */
  scope: string[];
  /** The scope of the grant, if a refresh requested less: the refresh token retains it (RFC 6749 section 6). */
  grantedScope?: string[];
  /** The ID Token's `sub`. */
  subject?: string;
  /** The id of the profile that was read at the sign-in. The profile of another user is refused afterwards. */
  profileID?: string;
  /** The `session_state` of the authorization response, for the session check. */
  sessionState?: string;
  /** The ID Token's `auth_time`: when the user signed in at the service, in milliseconds since the Unix epoch. */
  authTime?: number;
  params: TokenParams;
}

type WithoutTokens = Omit<TokenSet, 'accessToken' | 'refreshToken' | 'idToken'>;

/** A token set with its tokens in plain text, for the token vault to seal. */
interface SerializedTokenSet extends WithoutTokens {
  accessToken: string;
  refreshToken?: string | undefined;
  idToken?: string | undefined;
}

const TOKEN_NAME = /(?:^|_)token$/;

/** @returns the members of a token response as {@link TokenParams}. @param members an ID Token among them is validated */
export function tokenParams(members: Record<string, unknown>): TokenParams {
  const params: TokenParams = {};
  for (const [name, value] of Object.entries(members)) {
    if (PROTOTYPE_NAMES.has(name) || name === 'claims') continue;
    // A getter, because `util.inspect` with `showHidden` prints values that are not enumerable, but calls no getter.
    if (TOKEN_NAME.test(name)) Object.defineProperty(params, name, { get: () => value, configurable: true });
    else params[name] = value;
  }
  const { id_token: idToken } = members;
  if (typeof idToken === 'string') Object.defineProperty(params, 'claims', { get: () => claimsOf(idToken) });
  return params;
}

/** @returns plain JSON for {@link deserializeTokenSet}. It contains the tokens in plain text: seal it at once. */
export function serializeTokenSet(tokens: TokenSet): SerializedTokenSet {
  return {
    ...tokens,
    accessToken: tokens.accessToken.reveal(),
    refreshToken: tokens.refreshToken?.reveal(),
    idToken: tokens.idToken?.reveal(),
  };
}

const serializedMembers: MemberTypes<SerializedTokenSet> = {
  accessToken: 'text',
  refreshToken: 'text?',
  idToken: 'string?',
  expiresAt: 'number',
  scope: 'strings',
  grantedScope: 'strings?',
  subject: 'string?',
  profileID: 'string?',
  sessionState: 'string?',
  authTime: 'number?',
  params: 'object',
};

/** @returns the token set that {@link serializeTokenSet} was called with; undefined for any other value. */
export function deserializeTokenSet(serialized: unknown): TokenSet | undefined {
  if (!hasMembers(serialized, serializedMembers)) return undefined;
  const { accessToken, refreshToken, idToken } = serialized;
  // Not rest properties, and `params` when it is read: each request that uses the tokens deserializes them.
  const others: WithoutTokens = serialized;
  return {
    ...others,
    accessToken: new Secret(accessToken),
    ...(refreshToken !== undefined && { refreshToken: new Secret(refreshToken) }),
    ...(idToken !== undefined && { idToken: new Secret(idToken) }),
    get params() {
      const secrets = defined({ access_token: accessToken, refresh_token: refreshToken, id_token: idToken });
      return tokenParams({ ...others.params, ...secrets });
    },
  };
}
