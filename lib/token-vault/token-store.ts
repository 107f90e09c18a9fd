/** One login's tokens as a store keeps them. Nothing in it is readable but whose it is and when it may go. */
export interface StoredGrant {
  /** The site's own id of the user: what {@link TokenStore.grantsOf} finds it by. */
  readonly userKey: string;
  /** The tokens, sealed by the vault. A store never looks inside. */
  readonly sealed: string;
  /** Grows by one with every change; {@link TokenStore.swap} compares it. */
  readonly version: number;
  /** Milliseconds since the epoch. From then on the store may erase it, and must not give it out any more. */
  readonly expiresAt: number;
}

/** A lock that was got. It ends by itself after its life, in case its holder is gone. */
export interface TokenStoreLock {
  /** Ends the lock, if it is still this holder's. Never ends another's. */
  release(): Promise<void>;
}

/**
 * Where sealed tokens are kept between requests. Every method may reject when the store cannot be reached;
 * the vault turns that into a retryable error and signs nobody out.
 */
export interface TokenStore {
  get(grantID: string): Promise<StoredGrant | undefined>;
  put(grantID: string, grant: StoredGrant): Promise<void>;
  /** Compare-and-swap. @returns false, having changed nothing, when the kept version is another or the grant is gone. */
  swap(grantID: string, expectedVersion: number, grant: StoredGrant): Promise<boolean>;
  /** Erases it; safe to repeat. */
  delete(grantID: string): Promise<void>;
  /** @returns the ids of everything kept for one user. */
  grantsOf(userKey: string): Promise<string[]>;
  /** @returns nothing, at once, when somebody else holds the lock of this grant. */
  lock(grantID: string, lifeMs: number): Promise<TokenStoreLock | undefined>;
}
