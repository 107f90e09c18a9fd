import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
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
  /** Signs with the next key from now on; the one before stays in the JWKS (decision 67). @returns the new kid */
  rotate(): string;
}

const MEMBERS = ['n', 'e'] as const;

export class KeyRing implements Keys {
  #made = 0;
  #previous: SigningKey | undefined;
  #current!: SigningKey;
  #next: SigningKey | undefined;
  readonly #byKid = new Map<string, SigningKey>();
  /** Grows with every change of the JWKS. */
  version = 0;

  constructor() {
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
    return [this.#current, this.#next, this.#previous].filter((key) => key !== undefined);
  }

  /** Any key that ever signed: an old ID Token is still a good hint (decisions 33 and 77). */
  byKid(kid: string): SigningKey | undefined {
    return this.#byKid.get(kid);
  }

  publish(): string {
    this.#next ??= this.#make();
    this.version += 1;
    return this.#next.kid;
  }

  rotate(): string {
    this.#previous = this.#current;
    this.#current = this.#next ?? this.#make();
    this.#next = undefined;
    this.version += 1;
    return this.#current.kid;
  }

  reset(): void {
    this.#byKid.clear();
    this.#made = 0;
    this.#previous = undefined;
    this.#next = undefined;
    this.#current = this.#make();
    this.version += 1;
  }

  #make(): SigningKey {
    const jwk = PUBLIC_TEST_KEYS[this.#made % PUBLIC_TEST_KEYS.length] as JsonWebKey;
    this.#made += 1;
    const key = signingKey(`passport-clinician-test-key-${this.#made}`, jwk);
    this.#byKid.set(key.kid, key);
    return key;
  }
}

const imported = new Map<JsonWebKey, KeyObject>();

function signingKey(kid: string, jwk: JsonWebKey): SigningKey {
  const publicMembers = Object.fromEntries(MEMBERS.map((member) => [member, String(jwk[member])]));
  const publicJWK = { kty: 'RSA', ...publicMembers, kid, use: 'sig', alg: 'RS256' };
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
