import { sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { leftHalfHash } from '../http/digest.js';
import { epochSeconds } from '../state/clock.js';
import type { Authorization, GrantStore } from '../state/grants.js';
import type { KeyRing, SigningKey } from '../state/keys.js';

const signInPool = promisify(sign);

/** The header or the claims of a JWT. */
type Claims = Readonly<Record<string, unknown>>;

/** The values that differ from one ID Token of an authorization to the next. */
interface IDTokenContents {
  /** Milliseconds. */
  readonly now: number;
  /** The access token or the code that is issued with it. */
  readonly accessToken?: string;
  readonly code?: string;
  /** Undefined for an ID Token of a refresh. */
  readonly nonce?: string | undefined;
}

/** The ID Tokens of a provider (service spec: ID token). Their lifetime is that of access tokens. */
export class IDTokens {
  readonly #issuer: string;
  readonly #keys: KeyRing;
  readonly #grants: GrantStore;

  constructor(issuer: string, keys: KeyRing, grants: GrantStore) {
    this.#issuer = issuer;
    this.#keys = keys;
    this.#grants = grants;
  }

  issue({ client, account, authTime }: Authorization, contents: IDTokenContents): Promise<string> {
    const { now, accessToken, code, nonce } = contents;
    const key = this.#keys.signing;
    const iat = epochSeconds(now);
    const claims = {
      iss: this.#issuer,
      sub: account.sub,
      aud: [this.#issuer, client.id],
      azp: client.id,
      exp: iat + epochSeconds(this.#grants.accessTokenLifetime(client)),
      iat,
      auth_time: epochSeconds(authTime),
      ...(accessToken !== undefined && { at_hash: leftHalfHash(accessToken) }),
      ...(code !== undefined && { c_hash: leftHalfHash(code) }),
      ...(nonce !== undefined && { nonce }),
    };
    return signIDToken({ alg: 'RS256', kid: key.kid }, claims, key);
  }

  /** @returns the claims of an ID Token that this provider signed; it may be expired. */
  readOwn(token: string): Claims | undefined {
    const [header, claims, signature, ...more] = token.split('.', 4);
    if (!header || !claims || !signature || more.length > 0) return undefined;
    const { alg, kid } = decodeJWTPart(header);
    const key = alg === 'RS256' && typeof kid === 'string' ? this.#keys.byKid(kid) : undefined;
    if (key === undefined) return undefined;
    const text = Buffer.from(`${header}.${claims}`);
    if (!verify('sha256', text, key.publicKey, Buffer.from(signature, 'base64url'))) return undefined;
    const read = decodeJWTPart(claims);
    return read.iss === this.#issuer ? read : undefined;
  }
}

/** Signs in the thread pool: a signature takes longer than the rest of a request. */
export async function signIDToken(header: Claims, claims: Claims, { privateKey }: SigningKey): Promise<string> {
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = await signInPool('sha256', Buffer.from(text), privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

/** @returns the claims of an ID Token; its signature is not checked. */
export function decodeUnverifiedClaims(token: string): Claims {
  return decodeJWTPart(token.split('.', 2)[1] ?? '');
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @returns the header or the claims of a JWT; an empty object when the part is not readable. */
function decodeJWTPart(part: string): Claims {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Claims) : {};
  } catch {
    return {};
  }
}
