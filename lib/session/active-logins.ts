import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import { createSingleFlight } from '../single-flight.js';
import type { SessionLogin } from './session-login.js';
import type { TokenManager } from './token-manager.js';

const MAX_ENTRIES = 50_000;

/** Records which logins are active: a login ends with its tokens, even while a session still contains it. @internal */
export interface ActiveLogins {
  /** Adds a new login. */
  add(login: SessionLogin): void;
  /** @returns true for a login that this process has recorded as ended. No I/O. */
  hasEnded(login: SessionLogin): boolean;
  /** @returns whether a login is active, as checked at most `maxAge` milliseconds ago: else the token store is read. */
  isActive(login: SessionLogin, maxAge: number): boolean | Promise<boolean>;
  end(grantID: string): void;
  /** Ends every login of one user that this process has recorded. */
  endUser(userKey: string): void;
}

export function createActiveLogins(options: {
  clock: Clock;
  tokens: Pick<TokenManager, 'vault' | 'onEnd'>;
}): ActiveLogins {
  const { clock, tokens } = options;
  const active = new BoundedMap<string, { userKey: string; checkedAt: number }>(MAX_ENTRIES);
  const ended = new BoundedMap<string, true>(MAX_ENTRIES);
  const lookups = createSingleFlight<boolean>();

  function add({ grantID, userKey }: SessionLogin): void {
    active.set(grantID, { userKey, checkedAt: clock.now() });
  }

  function end(grantID: string): void {
    active.delete(grantID);
    ended.set(grantID, true);
  }
  tokens.onEnd(end);

  function lookUp(login: SessionLogin): Promise<boolean> {
    return lookups.run(login.grantID, async () => {
      const isStored = (await tokens.vault.tokens(login.grantID)) !== undefined;
      // It may have ended while the store was read.
      if (ended.has(login.grantID)) return false;
      if (isStored) add(login);
      else end(login.grantID);
      return isStored;
    });
  }

  return {
    add,
    hasEnded: ({ grantID }) => ended.has(grantID),
    isActive(login, maxAge) {
      if (ended.has(login.grantID)) return false;
      const known = active.get(login.grantID);
      return known !== undefined && clock.now() - known.checkedAt <= maxAge ? true : lookUp(login);
    },
    end,
    endUser(userKey) {
      const grantIDs = [...active].filter(([, login]) => login.userKey === userKey).map(([grantID]) => grantID);
      for (const grantID of grantIDs) end(grantID);
    },
  };
}
