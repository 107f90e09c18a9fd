import { createPublicKey, type KeyObject } from 'node:crypto';
import type { Clock } from '../async/clock.js';
import type { Fetch } from '../http/http.js';
import { type JSONDocument, malformed } from '../http/json.js';
import { CachedDocument, readDocument, requestDocument } from './documents.js';
import type { Metadata } from './metadata.js';

/** A public key of the authorization server for signature checks. */
export interface SigningKey {
  kid: unknown;
  key: KeyObject;
}

/** The members of an RSA key (RFC 7518 section 6.3.1). */
interface RSAPublicKey {
  kty: 'RSA';
  n: string;
  e: string;
  kid?: unknown;
}

const JWKS: JSONDocument = {
  name: 'the key set',
  mediaType: /^application\/(?:jwk-set\+)?json$/,
  // 20 keys, each with a chain of certificates.
  maxSize: 250_000,
};
const LIFETIME_MS = 300_000;
/** The minimum time between two refetches, however many unknown kids arrive. */
const MIN_REFETCH_INTERVAL_MS = 5_000;
// The time of an import and of a signature check grows with the number and the size of the keys.
const MAX_KEYS = 20;
const MAX_KEYS_PER_KID = 2;
const MIN_MODULUS_BITS = 2048;
const MAX_MODULUS_BITS = 4096;
const MAX_EXPONENT = 2n ** 32n;
/** 4096 bits in base64url, and a leading zero. */
const MAX_MODULUS_LENGTH = 684;
const MAX_EXPONENT_LENGTH = 8;

/** The authorization server's keys: cached, and fetched again for an unknown `kid` or a signature that no key verifies. */
export class SigningKeys {
  readonly #clock: Clock;
  readonly all: CachedDocument<readonly SigningKey[]>;
  #refetchedAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, fetch: Fetch, metadata: Metadata) {
    this.#clock = clock;
    this.all = new CachedDocument(clock, LIFETIME_MS, async () => {
      const server = await metadata.server.get();
      return readKeys(fetch, server.metadata.jwks_uri);
    });
  }

  /** @returns the keys with this `kid`. Without a `kid`: the key, if there is exactly one. */
  async candidates(kid: string | undefined): Promise<readonly SigningKey[]> {
    const known = select(await this.all.get(), kid);
    return known.length > 0 ? known : await this.candidatesAfterRefetch(kid);
  }

  async candidatesAfterRefetch(kid: string | undefined): Promise<readonly SigningKey[]> {
    // Only refetches count, not the first fetch: the service may rotate its keys right after that.
    if (this.#clock.now() - this.#refetchedAt < MIN_REFETCH_INTERVAL_MS) return select(await this.all.get(), kid);
    const keys = await this.all.refetch();
    this.#refetchedAt = this.#clock.now();
    return select(keys, kid);
  }
}

function select(keys: readonly SigningKey[], kid: string | undefined): readonly SigningKey[] {
  if (kid === undefined) return keys.length === 1 ? keys : [];
  return keys.filter((key) => key.kid === kid);
}

/**
 * Fetches a JWK Set. @returns its keys that can verify RS256 signatures; others are ignored (RFC 7517 section 5)
 * @throws ProtocolError `response_malformed`, also for more than 20 keys, or more than two with one `kid`
 */
export async function readKeys(fetch: Fetch, url: string): Promise<SigningKey[]> {
  const { keys } = await readDocument(await requestDocument(fetch, url), JWKS);
  const all: unknown[] = Array.isArray(keys) ? keys : [];
  if (all.length > MAX_KEYS) throw malformed(JWKS, `has more than ${MAX_KEYS} keys`);
  const jwks = all.filter(isRS256Key);
  const countByKid = new Map<unknown, number>();
  for (const { kid } of jwks) {
    const count = (countByKid.get(kid) ?? 0) + 1;
    if (kid !== undefined && count > MAX_KEYS_PER_KID) throw malformed(JWKS, 'has more than two keys with one kid');
    countByKid.set(kid, count);
  }
  return jwks.flatMap((jwk) => {
    const key = importKey(jwk);
    return key === undefined ? [] : [{ kid: jwk.kid, key }];
  });
}

function isRS256Key(jwk: unknown): jwk is RSAPublicKey {
  if (typeof jwk !== 'object' || jwk === null) return false;
  const { kty, use = 'sig', key_ops = ['verify'], alg = 'RS256', d, n, e } = jwk as Record<string, unknown>;
  const verifies = Array.isArray(key_ops) && key_ops.includes('verify');
  const isPublic = typeof n === 'string' && typeof e === 'string' && d === undefined;
  return kty === 'RSA' && isPublic && use === 'sig' && verifies && alg === 'RS256';
}

function importKey({ kty, n, e }: RSAPublicKey): KeyObject | undefined {
  if (n.length > MAX_MODULUS_LENGTH || e.length > MAX_EXPONENT_LENGTH) return undefined;
  try {
    const key = createPublicKey({ key: { kty, n, e }, format: 'jwk' });
    const { modulusLength = 0, publicExponent = 0n } = key.asymmetricKeyDetails ?? {};
    // An even exponent, or 1, makes signatures that anyone can forge.
    const isSound = publicExponent % 2n === 1n && publicExponent > 1n && publicExponent < MAX_EXPONENT;
    return isSound && modulusLength >= MIN_MODULUS_BITS && modulusLength <= MAX_MODULUS_BITS ? key : undefined;
  } catch {
    return undefined;
  }
}
