import { sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { epochSeconds } from '../clock.js';
import { leftHalfHash } from '../digest.js';
import type { KeyRing, SigningKey } from '../keys.js';
import type { Grant } from '../stores/grants.js';

/** In the thread pool: a signature is the dearest thing here, and other requests go on meanwhile. */
const signInPool = promisify(sign) as unknown as (
  algorithm: string,
  data: Buffer,
  key: SigningKey['privateKey'],
) => Promise<Buffer>;

const base64url = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** An ID Token on its way to be signed: where faults are put in. */
export interface IDTokenDraft {
  header: Record<string, unknown>;
  claims: Record<string, unknown>;
  key: SigningKey;
  /** Changes the finished token. */
  finish?: (token: string) => string;
}

export interface IDTokenParameters {
  issuer: string;
  grant: Grant;
  now: number;
  lifetime: number;
  /** Left out at a refresh (decision 56). */
  nonce: string | undefined;
  accessToken?: string | undefined;
  code?: string | undefined;
}

/** Decision 57: what an ID Token says. */
export function draftIDToken(key: SigningKey, parameters: IDTokenParameters): IDTokenDraft {
  const { issuer, grant, now, lifetime, nonce, accessToken, code } = parameters;
  const iat = epochSeconds(now);
  return {
    key,
    header: { alg: 'RS256', kid: key.kid },
    claims: {
      iss: issuer,
      sub: grant.account.sub,
      aud: [issuer, grant.client.id],
      azp: grant.client.id,
      exp: iat + Math.floor(lifetime / 1000),
      iat,
      auth_time: epochSeconds(grant.authTime),
      ...(accessToken !== undefined && { at_hash: leftHalfHash(accessToken) }),
      ...(code !== undefined && { c_hash: leftHalfHash(code) }),
      ...(nonce !== undefined && { nonce }),
    },
  };
}

export async function signIDToken({ header, claims, key, finish }: IDTokenDraft): Promise<string> {
  const text = `${base64url(header)}.${base64url(claims)}`;
  const signature = await signInPool('sha256', Buffer.from(text), key.privateKey);
  const token = `${text}.${signature.toString('base64url')}`;
  return finish ? finish(token) : token;
}

/** @returns the claims of an ID Token that this provider signed, expired ones included (decisions 33, 76 and 77). */
export function readOwnIDToken(token: string, keys: KeyRing, issuer: string): Record<string, unknown> | undefined {
  const [header, claims, signature, more] = token.split('.');
  if (!header || !claims || !signature || more !== undefined) return undefined;
  try {
    const { alg, kid } = JSON.parse(Buffer.from(header, 'base64url').toString()) as Record<string, unknown>;
    const key = alg === 'RS256' && typeof kid === 'string' ? keys.byKid(kid) : undefined;
    if (key === undefined) return undefined;
    const good = verify(
      'sha256',
      Buffer.from(`${header}.${claims}`),
      key.publicKey,
      Buffer.from(signature, 'base64url'),
    );
    const read = JSON.parse(Buffer.from(claims, 'base64url').toString()) as Record<string, unknown>;
    return good && read.iss === issuer ? read : undefined;
  } catch {
    return undefined;
  }
}
