import type { TokenSet } from '../authorization-server/token-set.js';

/** Holds the tokens of a login that has ended, which the token store has erased. @internal */
export interface EndedLogin {
  tokens: TokenSet;
  userID: string;
  isRevoked: boolean;
}

/** Revokes tokens after the browser has signed out at the service. They are in memory only until then. @internal */
export interface DelayedRevocations {
  /** Revokes when {@link DelayedRevocations.revokeNow} is called with this id, at the latest after 30 seconds. */
  add(id: string, login: EndedLogin): Promise<void>;
  /** Revokes what was added with this id, if anything. */
  revokeNow(id: string): Promise<void>;
  /** Revokes everything that was added, and what is added from then on, at once: the process stops. */
  close(): Promise<void>;
}

/** Before the browser returns, the service may show a page, or sign the user out at an identity provider. */
const DELAY_MS = 30_000;
const MAX_PENDING = 10_000;

/** @param revoke never rejects */
export function createDelayedRevocations(revoke: (login: EndedLogin) => Promise<void>): DelayedRevocations {
  const pending = new Map<string, { login: EndedLogin; timer: NodeJS.Timeout }>();
  let isClosed = false;

  async function revokeNow(id: string): Promise<void> {
    const entry = pending.get(id);
    if (entry === undefined) return;
    pending.delete(id);
    clearTimeout(entry.timer);
    await revoke(entry.login);
  }

  return {
    async add(id, login) {
      if (isClosed || pending.size >= MAX_PENDING) return await revoke(login);
      const timer = setTimeout(() => void revokeNow(id), DELAY_MS);
      // The timer does not delay the end of a process that has nothing else to do.
      timer.unref();
      pending.set(id, { login, timer });
    },
    revokeNow,
    async close() {
      isClosed = true;
      await Promise.all([...pending.keys()].map(revokeNow));
    },
  };
}
