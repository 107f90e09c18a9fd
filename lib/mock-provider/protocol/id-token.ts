import { sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { leftHalfHash } from '../http/digest.js';
import { epochSeconds } from '../state/clock.js';
import type { Authorization } from '../state/grants.js';
import type { KeyRing, SigningKey } from '../state/keys.js';

/** In the thread pool: a signature is the dearest thing here, and other requests go on meanwhile. */
const signInPool = promisify(sign) as unknown as (
  algorithm: string,
  data: Buffer,
  key: SigningKey['privateKey'],
) => Promise<Buffer>;

/** A JWT before it is signed. */
export interface IDTokenDraft {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly key: SigningKey;
}

/** What differs from one ID Token of an authorization to the next. Times are in seconds. */
export interface IDTokenOccasion {
  now: number;
  lifetime: number;
  /** At a login, one of them: what the ID Token comes with. */
  accessToken?: string;
  code?: string;
  /** Decision 56: there is no nonce in what a refresh brings. */
  isRefresh?: boolean;
}

/** @returns what an ID Token says (service spec: ID token; decision 57). */
export function draftIDToken(
  key: SigningKey,
  issuer: string,
  { client, account, authTime, nonce }: Authorization,
  { now, lifetime, accessToken, code, isRefresh = false }: IDTokenOccasion,
): IDTokenDraft {
  return {
    key,
    header: { alg: 'RS256', kid: key.kid },
    claims: {
      iss: issuer,
      sub: account.sub,
      aud: [issuer, client.id],
      azp: client.id,
      exp: now + lifetime,
      iat: now,
      auth_time: epochSeconds(authTime),
      ...(accessToken !== undefined && { at_hash: leftHalfHash(accessToken) }),
      ...(code !== undefined && { c_hash: leftHalfHash(code) }),
      ...(nonce !== undefined && !isRefresh && { nonce }),
    },
  };
}

/** Signs any JWT: an ID Token, or a UserInfo response (decision 85b). */
export async function signIDToken({ header, claims, key }: IDTokenDraft): Promise<string> {
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = await signInPool('sha256', Buffer.from(text), key.privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

/** @returns the claims of an ID Token that this provider signed, expired ones included (decisions 33, 76 and 77). */
export function readOwnIDToken(
  token: string,
  keys: Pick<KeyRing, 'byKid'>,
  issuer: string,
): Record<string, unknown> | undefined {
  const [header, claims, signature, ...more] = token.split('.', 4);
  if (!header || !claims || !signature || more.length > 0) return undefined;
  const { alg, kid } = decodeJWTPart(header);
  const key = alg === 'RS256' && typeof kid === 'string' ? keys.byKid(kid) : undefined;
  if (key === undefined) return undefined;
  const text = Buffer.from(`${header}.${claims}`);
  const read = decodeJWTPart(claims);
  const isOurs = verify('sha256', text, key.publicKey, Buffer.from(signature, 'base64url')) && read.iss === issuer;
  // A UserInfo response is signed with the same keys, and says nothing of a login.
  return isOurs && read.auth_time !== undefined ? read : undefined;
}

/** @returns what an ID Token says, believed or not. */
export function decodeUnverifiedClaims(token: string): Record<string, unknown> {
  return decodeJWTPart(token.split('.', 2)[1] ?? '');
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @returns the header or the claims of a JWT; an empty object when the part is not readable. */
export function decodeJWTPart(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
