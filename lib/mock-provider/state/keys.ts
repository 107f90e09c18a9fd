import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import type { MockClock } from './clock.js';
import { PUBLIC_TEST_KEYS } from './test-keys.js';

/** One signing key. Its private key is imported at the first signature. */
export interface SigningKey {
  readonly kid: string;
  readonly publicJWK: Readonly<Record<string, string>>;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** Manages the signing keys of ID Tokens: `provider.keys`. */
export interface Keys {
  /** The kid of the current signing key. */
  readonly current: string;
  /** The kids in the JWKS, the current one first. */
  readonly published: string[];
  /** Publishes the next key in the JWKS; the current one still signs. @returns the kid of the next key */
  publish(): string;
  /** Signs with the next key; the previous one remains in the JWKS until its ID Tokens expire. @returns the new kid */
  rotate(): string;
}

/** The number of retired keys whose ID Tokens are accepted as hints. */
const MAX_RETIRED_KEYS = 64;

export class KeyRing implements Keys {
  readonly #clock: MockClock;
  readonly #lifetimeMs: number;
  #created = 0;
  #current!: SigningKey;
  #next: SigningKey | undefined;
  /** The newest first. */
  #retired: { readonly key: SigningKey; readonly publishedUntil: number }[] = [];

  /** @param lifetimeMs of an ID Token: a retired key is published that long */
  constructor(clock: MockClock, lifetimeMs: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
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

  /** @returns the keys of the JWKS. */
  keys(): SigningKey[] {
    const now = this.#clock.now();
    const retired = this.#retired.filter(({ publishedUntil }) => publishedUntil > now).map(({ key }) => key);
    return [this.#current, ...(this.#next ? [this.#next] : []), ...retired];
  }

  /** @returns any key that signed, also a retired one: an expired ID Token is a valid hint. */
  byKid(kid: string): SigningKey | undefined {
    return [this.#current, ...this.#retired.map(({ key }) => key)].find((key) => key.kid === kid);
  }

  publish(): string {
    this.#next ??= this.#create();
    return this.#next.kid;
  }

  rotate(): string {
    const publishedUntil = this.#clock.now() + this.#lifetimeMs;
    this.#retired = [{ key: this.#current, publishedUntil }, ...this.#retired].slice(0, MAX_RETIRED_KEYS);
    this.#current = this.#next ?? this.#create();
    this.#next = undefined;
    return this.#current.kid;
  }

  reset(): void {
    this.#created = 0;
    this.#retired = [];
    this.#next = undefined;
    this.#current = this.#create();
  }

  #create(): SigningKey {
    const jwk = PUBLIC_TEST_KEYS[this.#created % PUBLIC_TEST_KEYS.length] as JsonWebKey;
    this.#created += 1;
    return signingKey(`passport-clinician-test-key-${this.#created}`, jwk);
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
