import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../clock.js';
import { cachedDocument } from './cached-document.js';

/** A key that signatures of the authorization server are checked with. */
export interface SigningKey {
  kid?: string;
  key: KeyObject;
}

/** The authorization server's keys: fetched once, shared, and fetched again when it signs with one that is not among them. */
export interface SigningKeys {
  /** Sees to it that the keys can be had. */
  ready(): Promise<void>;
  /** The keys that a JWT with this `kid` may be signed with. Without a `kid`, only a key that is the sole one. */
  candidates(kid: string | undefined): Promise<readonly KeyObject[]>;
  /** The same, after none of those fitted: from a fresh look, as often as unknown kids get one. */
  candidatesAfterRefetch(kid: string | undefined): Promise<readonly KeyObject[]>;
}

const LIFETIME = 300_000;
/** However many unknown kids come, the service is asked for its keys once in this time. */
const COOL_DOWN = 5_000;
const SMALLEST_MODULUS = 2048;

export function createSigningKeys(clock: Clock, load: () => Promise<Record<string, unknown>>): SigningKeys {
  const keys = cachedDocument(clock, LIFETIME, async () => usableKeys(await load()));
  let refetchedAt = Number.NEGATIVE_INFINITY;

  async function refetch(): Promise<readonly SigningKey[]> {
    // The first fetch of all does not count: a key may be changed right after it.
    if (clock.now() - refetchedAt < COOL_DOWN) return keys.get();
    const fetched = await keys.refetch();
    refetchedAt = clock.now();
    return fetched;
  }
  return {
    async ready() {
      await keys.get();
    },
    async candidates(kid) {
      const known = select(await keys.get(), kid);
      return known.length > 0 ? known : select(await refetch(), kid);
    },
    candidatesAfterRefetch: async (kid) => select(await refetch(), kid),
  };
}

function select(keys: readonly SigningKey[], kid: string | undefined): KeyObject[] {
  if (kid === undefined) return keys.length === 1 ? keys.map(({ key }) => key) : [];
  return keys.filter((key) => key.kid === kid).map(({ key }) => key);
}

/** @returns the keys of a JWK Set that are fit for RS256 signatures; every other one is passed over (RFC 7517 section 5). */
export function usableKeys({ keys }: Record<string, unknown>): SigningKey[] {
  return (Array.isArray(keys) ? keys : []).flatMap((jwk: unknown) => {
    const key = isRS256Key(jwk) ? importKey(jwk) : undefined;
    if (key === undefined) return [];
    const { kid } = jwk as { kid?: unknown };
    return [typeof kid === 'string' ? { kid, key } : { key }];
  });
}

function isRS256Key(jwk: unknown): jwk is JsonWebKey {
  if (typeof jwk !== 'object' || jwk === null) return false;
  const { kty, use = 'sig', key_ops = ['verify'], alg = 'RS256', d } = jwk as Record<string, unknown>;
  const verifies = Array.isArray(key_ops) && key_ops.includes('verify');
  return kty === 'RSA' && use === 'sig' && verifies && alg === 'RS256' && d === undefined;
}

function importKey({ kty, n, e }: JsonWebKey): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: { kty, n, e } as JsonWebKey, format: 'jwk' });
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= SMALLEST_MODULUS ? key : undefined;
  } catch {
    return undefined;
  }
}
