import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import { createSingleFlight } from '../token-vault/single-flight.js';
import type { SessionLogin } from './types.js';

const MAX_REMEMBERED = 50_000;

/** Which logins of sessions still stand: a login ends with its tokens, whatever the session says. @internal */
export interface ActiveLogins {
  /** A login that was made just now. */
  add(login: SessionLogin): void;
  /** True for a login that is known here to be over, without asking. */
  hasEnded(login: SessionLogin): boolean;
  /** Whether a login stands, known at most `maxAge` milliseconds ago: at once and without I/O when that is so, else by one look into the vault. */
  stands(login: SessionLogin, maxAge: number): boolean | Promise<boolean>;
  end(grantID: string): void;
  /** Ends every login of one user that this process knows of. @returns their grants. */
  endUser(userKey: string): string[];
}

export function createActiveLogins(options: { clock: Clock; isKept(grantID: string): Promise<boolean> }): ActiveLogins {
  const { clock, isKept } = options;
  const seen = new BoundedMap<string, { userKey: string; at: number }>(MAX_REMEMBERED);
  const ended = new BoundedMap<string, true>(MAX_REMEMBERED);
  const underWay = createSingleFlight<boolean>();

  function note({ grantID, userKey }: SessionLogin): void {
    seen.set(grantID, { userKey, at: clock.now() });
  }

  function end(grantID: string): void {
    seen.delete(grantID);
    ended.set(grantID, true);
  }

  function lookUp(login: SessionLogin): Promise<boolean> {
    return underWay.run(login.grantID, async () => {
      const kept = await isKept(login.grantID);
      if (ended.has(login.grantID)) return false;
      if (kept) note(login);
      else end(login.grantID);
      return kept;
    });
  }

  return {
    add: note,
    hasEnded: ({ grantID }) => ended.has(grantID),
    stands(login, maxAge) {
      if (ended.has(login.grantID)) return false;
      const known = seen.get(login.grantID);
      return known !== undefined && clock.now() - known.at <= maxAge ? true : lookUp(login);
    },
    end,
    endUser(userKey) {
      const grants = [...seen].filter(([, login]) => login.userKey === userKey).map(([grantID]) => grantID);
      for (const grantID of grants) end(grantID);
      return grants;
    },
  };
}
