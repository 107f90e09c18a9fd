import { BoundedMap } from '../bounded-map.js';
import type { Clock } from '../clock.js';
import type { ClinicianProfile } from '../resource-api/profile.js';
import { createSingleFlight } from '../token-vault/single-flight.js';
import type { SessionLogin, Verification } from './types.js';

const MAX_REMEMBERED = 50_000;

/** What this process knows of who is verified. In memory only: `verified` is profile data, and none is kept. @internal */
export interface Verifications {
  /** As last read, without asking. */
  known(login: SessionLogin): Verification;
  remember(grantID: string, profile: ClinicianProfile | undefined): void;
  forget(grantID: string): void;
  /**
   * As it is now, at most `maxAge` milliseconds old. Answers at once, without I/O, when that is known; somebody who is still
   * pending is always asked for again, so that nobody waits longer than the service makes them.
   */
  current(login: SessionLogin, maxAge: number): Verification | Promise<Verification>;
}

export function createVerifications(options: {
  clock: Clock;
  readProfile(login: SessionLogin): Promise<ClinicianProfile>;
}): Verifications {
  const { clock, readProfile } = options;
  const remembered = new BoundedMap<string, { verified: boolean; readAt: number }>(MAX_REMEMBERED);
  const underWay = createSingleFlight<Verification>();

  function remember(grantID: string, profile: ClinicianProfile | undefined): void {
    if (!profile) return;
    remembered.set(grantID, { verified: profile.verified === true, readAt: clock.now() });
  }

  function known({ grantID, scope }: SessionLogin): Verification {
    const found = remembered.get(grantID);
    if (!found || !scope.includes('basic')) return 'unknown';
    return found.verified ? 'verified' : 'pending';
  }

  function readNow(login: SessionLogin): Promise<Verification> {
    return underWay.run(login.grantID, async () => {
      remember(login.grantID, await readProfile(login));
      return known(login);
    });
  }

  return {
    known,
    remember,
    forget: (grantID) => void remembered.delete(grantID),
    current(login, maxAge) {
      if (!login.scope.includes('basic')) return 'unknown';
      const found = remembered.get(login.grantID);
      const fresh = found?.verified === true && clock.now() - found.readAt <= maxAge;
      return fresh ? 'verified' : readNow(login);
    },
  };
}
