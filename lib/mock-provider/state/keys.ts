import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { MockClock } from './clock.js';
import { PUBLIC_TEST_KEYS } from './test-keys.js';

/** One signing key. Its private half is imported at the first signature, once. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJWK: Readonly<Record<string, string>>;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** The keys that ID Tokens are signed with: `provider.keys`. */
export interface Keys {
  /** The kid of the key that signs now. */
  readonly current: string;
  /** The kids in the JWKS, the current one first. */
  readonly published: string[];
  /** First step of a careful rotation: the next key stands in the JWKS, the current one goes on signing. */
  publish(): string;
  /** Signs with the next key from now on; the one before stays in the JWKS while its ID Tokens live (decision 67). @returns the new kid */
  rotate(): string;
}

/** Kids of this many keys are known; what an older one signed is no good as a hint any more. */
const MOST_KEYS = 64;

export class KeyRing implements Keys {
  readonly #clock: MockClock;
  readonly #lifetime: number;
  #made = 0;
  #current!: SigningKey;
  #next: SigningKey | undefined;
  /** The newest first. */
  #retired: { readonly key: SigningKey; readonly publishedTill: number }[] = [];

  /** `lifetime` is an ID Token's: as long is a key published that signs no more. */
  constructor(clock: MockClock, lifetime: number) {
    this.#clock = clock;
    this.#lifetime = lifetime;
    this.reset();
  }

  get current(): string {
    return this.#current.kid;
  }

  get published(): string[] {
    return this.keys().map((key) => key.kid);
  }

  get signing(): SigningKey {
    return this.#current;
  }

  /** The keys of the JWKS. */
  keys(): SigningKey[] {
    const now = this.#clock.now();
    const retired = this.#retired.filter(({ publishedTill }) => publishedTill > now).map(({ key }) => key);
    return [this.#current, ...(this.#next ? [this.#next] : []), ...retired];
  }

  /** Any key that signed: an old ID Token is still a good hint (decisions 33 and 77). */
  byKid(kid: string): SigningKey | undefined {
    return [this.#current, ...this.#retired.map(({ key }) => key)].find((key) => key.kid === kid);
  }

  publish(): string {
    this.#next ??= this.#make();
    return this.#next.kid;
  }

  rotate(): string {
    const publishedTill = this.#clock.now() + this.#lifetime;
    this.#retired = [{ key: this.#current, publishedTill }, ...this.#retired].slice(0, MOST_KEYS);
    this.#current = this.#next ?? this.#make();
    this.#next = undefined;
    return this.#current.kid;
  }

  reset(): void {
    this.#made = 0;
    this.#retired = [];
    this.#next = undefined;
    this.#current = this.#make();
  }

  #make(): SigningKey {
    const jwk = PUBLIC_TEST_KEYS[this.#made % PUBLIC_TEST_KEYS.length] as JsonWebKey;
    this.#made += 1;
    return signingKey(`passport-clinician-test-key-${this.#made}`, jwk);
  }
}

const imported = new Map<JsonWebKey, KeyObject>();

function signingKey(kid: string, jwk: JsonWebKey): SigningKey {
  const publicJWK = { kty: 'RSA', n: String(jwk.n), e: String(jwk.e), kid, use: 'sig', alg: 'RS256' };
  let publicKey: KeyObject | undefined;
  return {
    kid,
    publicJWK,
    get privateKey() {
      const known = imported.get(jwk);
      if (known !== undefined) return known;
      const key = createPrivateKey({ key: jwk, format: 'jwk' });
      imported.set(jwk, key);
      return key;
    },
    get publicKey() {
      publicKey ??= createPublicKey({ key: publicJWK, format: 'jwk' });
      return publicKey;
    },
  };
}
