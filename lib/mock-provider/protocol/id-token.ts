import { sign, verify } from 'node:crypto';
import { leftHalfHash } from '../http/digest.js';
import { epochSeconds } from '../state/clock.js';
import type { Authorization, GrantStore } from '../state/grants.js';
import type { KeyRing, SigningKey } from '../state/keys.js';

/** Runs in the thread pool: a signature takes longer than the rest of a request. */
function signInPool(text: string, key: SigningKey['privateKey']): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    sign('sha256', Buffer.from(text), key, (error, signature) => (error ? reject(error) : resolve(signature)));
  });
}

/** A JWT before it is signed. */
interface IDTokenDraft {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  readonly key: SigningKey;
}

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

export type IssueIDToken = (authorization: Authorization, contents: IDTokenContents) => Promise<string>;

/** @returns the function that issues ID Tokens (service spec: ID token). Their lifetime is that of access tokens. */
export function createIDTokenIssuer({
  issuer,
  keys,
  grants,
}: {
  issuer: string;
  keys: Pick<KeyRing, 'signing'>;
  grants: Pick<GrantStore, 'accessTokenLifetime'>;
}): IssueIDToken {
  return function issueIDToken({ client, account, authTime }, { now, accessToken, code, nonce }) {
    const key = keys.signing;
    const iat = epochSeconds(now);
    const claims = {
      iss: issuer,
      sub: account.sub,
      aud: [issuer, client.id],
      azp: client.id,
      exp: iat + epochSeconds(grants.accessTokenLifetime(client)),
      iat,
      auth_time: epochSeconds(authTime),
      ...(accessToken !== undefined && { at_hash: leftHalfHash(accessToken) }),
      ...(code !== undefined && { c_hash: leftHalfHash(code) }),
      ...(nonce !== undefined && { nonce }),
    };
    return signIDToken({ key, header: { alg: 'RS256', kid: key.kid }, claims });
  };
}

/** Signs an ID Token. */
export async function signIDToken({ header, claims, key }: IDTokenDraft): Promise<string> {
  const text = `${encode(header)}.${encode(claims)}`;
  const signature = await signInPool(text, key.privateKey);
  return `${text}.${signature.toString('base64url')}`;
}

/** @returns the claims of an ID Token that this provider signed; it may be expired. */
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
  const isOwn = verify('sha256', text, key.publicKey, Buffer.from(signature, 'base64url')) && read.iss === issuer;
  return isOwn ? read : undefined;
}

/** @returns the claims of an ID Token; its signature is not checked. */
export function decodeUnverifiedClaims(token: string): Record<string, unknown> {
  return decodeJWTPart(token.split('.', 2)[1] ?? '');
}

function encode(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}

/** @returns the header or the claims of a JWT; an empty object when the part is not readable. */
function decodeJWTPart(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
