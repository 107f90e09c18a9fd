import { withTimeout } from '../with-timeout.js';
import type { TokenVault } from './token-vault.js';

/** Holds the result of {@link Forget}. */
export interface Forgotten {
  /** The number of erased logins, in all sessions of the user. */
  logins: number;
  /** How many of them the service has revoked. The tokens of the others expire there. */
  revoked: number;
}

export interface ForgetOptions<T> {
  vault: TokenVault<T>;
  /** Revokes tokens at the service. */
  revoke: (tokens: T) => Promise<void>;
  /** Called for each erased login, to clear what is cached of it outside the vault. */
  onErase?: (grantID: string) => void;
  /** The time limit of one revocation. @default 2000 */
  timeoutMs?: number;
}

/** Revokes and erases all stored data of one user. Safe to repeat, also after a failure. */
export type Forget = (userKey: string) => Promise<Forgotten>;

/**
 * Creates the function that implements two rules of the service spec: "data must be deleted when the user asks, uninstalls or
 * closes the account" (Limits), and tokens are revoked then (Authentication 7). Erasing does not wait for the service: where a
 * revocation fails, only `revoked` is lower.
 */
export function createForget<T>({ vault, revoke, onErase, timeoutMs = 2_000 }: ForgetOptions<T>): Forget {
  /** @returns whether the tokens were revoked; undefined when there were none. */
  async function forgetOne(grantID: string): Promise<boolean | undefined> {
    const tokens = await vault.forget(grantID);
    onErase?.(grantID);
    if (tokens === undefined) return undefined;
    return await withTimeout(timeoutMs, revoke(tokens)).then(
      () => true,
      () => false,
    );
  }

  return async function forget(userKey) {
    // Each login is revoked as soon as it is erased, so that a failure of the store leaves no erased tokens unrevoked.
    const outcomes = await Promise.allSettled((await vault.grantsOf(userKey)).map(forgetOne));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    const results = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const erased = results.filter((revoked) => revoked !== undefined);
    return { logins: erased.length, revoked: erased.filter(Boolean).length };
  };
}
