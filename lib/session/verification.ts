import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { createSingleFlight } from '../single-flight.js';
import type { SessionLogin, Verification } from './session-login.js';
import type { TokenManager } from './token-manager.js';

const MAX_ENTRIES = 50_000;

/** Provides the verification of signed-in users. In memory only: `verified` is profile data, which is not stored. @internal */
export interface Verifications {
  /** @returns the verification as last read. No I/O. */
  known(login: SessionLogin): Verification;
  record(grantID: string, profile: ClinicianProfile | undefined): void;
  /**
   * @returns the verification as read at most `maxAge` milliseconds ago: without I/O where it is known, else from the profile.
   * A `pending` one is always read again, so that a verification at the service is detected at once.
   */
  current(login: SessionLogin, maxAge: number): Verification | Promise<Verification>;
}

export function createVerifications(options: {
  clock: Clock;
  tokens: Pick<TokenManager, 'grant' | 'onEnd'>;
}): Verifications {
  const { clock, tokens } = options;
  const entries = new BoundedMap<string, { verified: boolean; readAt: number }>(MAX_ENTRIES);
  const reads = createSingleFlight<Verification>();
  tokens.onEnd((grantID) => void entries.delete(grantID));

  function record(grantID: string, profile: ClinicianProfile | undefined): void {
    if (profile) entries.set(grantID, { verified: profile.verified === true, readAt: clock.now() });
  }

  function known({ grantID, scope }: SessionLogin): Verification {
    const found = entries.get(grantID);
    if (!found || !scope.includes('basic')) return 'unknown';
    return found.verified ? 'verified' : 'pending';
  }

  function readNow(login: SessionLogin): Promise<Verification> {
    const { grantID, identity } = login;
    return reads.run(grantID, async () => {
      record(grantID, await tokens.grant(grantID, identity.serviceID).api.profile());
      return known(login);
    });
  }

  return {
    known,
    record,
    current(login, maxAge) {
      if (!login.scope.includes('basic')) return 'unknown';
      const found = entries.get(login.grantID);
      const isFresh = found?.verified === true && clock.now() - found.readAt <= maxAge;
      return isFresh ? 'verified' : readNow(login);
    },
  };
}
