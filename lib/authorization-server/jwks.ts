import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { ClientConfig } from './client-config.js';
import { cachedDocument, type ExpectedDocument, readDocument, requestDocument } from './documents.js';
import type { OAuthClient } from './oauth-client.js';

/** Holds a public key of the authorization server for signature checks. */
interface SigningKey {
  kid?: string;
  key: KeyObject;
}

/**
 * Provides the authorization server's keys. They are cached, and fetched again for an unknown `kid` or a signature that no key
 * verifies.
 */
export interface SigningKeys {
  /** Fetches the keys unless they are cached. */
  ready(): Promise<void>;
  /** @returns the keys with this `kid`. Without a `kid`: the key, where there is exactly one. */
  candidates(kid: string | undefined): Promise<readonly KeyObject[]>;
  /** @returns the same after a refetch, for a signature that no cached key verifies. */
  candidatesAfterRefetch(kid: string | undefined): Promise<readonly KeyObject[]>;
}

const JWKS: ExpectedDocument = {
  name: 'the key set',
  code: 'jwks_malformed',
  types: ['application/json', 'application/jwk-set+json'],
};
const LIFETIME_MS = 300_000;
/** The minimum time between two refetches, however many unknown kids arrive. */
const MIN_REFETCH_INTERVAL_MS = 5_000;
const MIN_MODULUS_BITS = 2048;

export function createSigningKeys(client: ClientConfig, oauth: OAuthClient): SigningKeys {
  const { clock, fetch } = client;
  const keys = cachedDocument(clock, LIFETIME_MS, async () => {
    const { jwks_uri } = await oauth.metadata();
    return usableKeys(await readDocument(await requestDocument(fetch, jwks_uri as string), JWKS));
  });
  let refetchedAt = Number.NEGATIVE_INFINITY;

  async function refetch(): Promise<readonly SigningKey[]> {
    // Only refetches count, not the first fetch: the service may rotate its keys right after that.
    if (clock.now() - refetchedAt < MIN_REFETCH_INTERVAL_MS) return keys.get();
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

/** @returns the keys of a JWK Set that can verify RS256 signatures; others are ignored (RFC 7517 section 5). */
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
    return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_MODULUS_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}
