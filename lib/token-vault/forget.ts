import type { TokenVault } from './token-vault.js';

/** What was done about one person. */
export interface Forgotten {
  /** How many sign-ins there were, on every session of that person. */
  logins: number;
  /** How many of them the service has revoked. The tokens of the others are erased here and end by themselves there. */
  revoked: number;
}

export interface ForgetOptions<T> {
  vault: TokenVault<T>;
  /** Revokes tokens at the service. */
  revoke: (tokens: T) => Promise<void>;
  /** Drops what this process remembers of one sign-in besides the vault. */
  onErase?: (grantID: string) => void;
  /** How long one revocation may take, in milliseconds. @default 2000 */
  patience?: number;
}

/** Revokes and erases everything that is kept about one user; safe to repeat, also after it failed half way. */
export type Forget = (userKey: string) => Promise<Forgotten>;

/**
 * Service spec, "Limits": "data must be deleted when the user asks, uninstalls or closes the account"; and "Authentication" 7: tokens are revoked then.
 * What is erased does not wait for the service: where that is down, the revocation is what is missing in the answer.
 */
export function createForget<T>({ vault, revoke, onErase: drop, patience = 2_000 }: ForgetOptions<T>): Forget {
  async function revoked(tokens: T): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, patience, false);
    });
    const done = revoke(tokens).then(
      () => true,
      () => false,
    );
    return await Promise.race([done, late]).finally(() => clearTimeout(timer));
  }

  async function forgetOne(grantID: string): Promise<boolean | undefined> {
    const tokens = await vault.forget(grantID);
    drop?.(grantID);
    return tokens && (await revoked(tokens));
  }

  return async function forget(userKey) {
    // Each is revoked as soon as it is erased: where the store fails half way, nothing is erased and not revoked.
    const outcomes = await Promise.allSettled((await vault.grantsOf(userKey)).map(forgetOne));
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason;
    const logins = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    const known = logins.filter((done) => done !== undefined);
    return { logins: known.length, revoked: known.filter(Boolean).length };
  };
}
