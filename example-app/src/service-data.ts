import type { Request } from 'express';
import { type ClinicianLogin, isClinicianError } from 'passport-clinician';

const TEN_MINUTES_MS = 10 * 60 * 1000;

/** Returns undefined while the service is unavailable, so that a page without the data still works. */
export async function ifAvailable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isClinicianError(error)) return undefined;
    throw error;
  }
}

/**
 * The names of users for the header of the pages. They are in memory for ten minutes at most, because this site stores a profile only
 * with the user's agreement.
 */
export class UserNames {
  readonly #clinician: ClinicianLogin;
  /** By grant. */
  readonly #names = new Map<string, string | undefined>();
  #clearAt = 0;

  constructor(clinician: ClinicianLogin) {
    this.#clinician = clinician;
  }

  /** @returns the name if an earlier page has read it, without a request to the service. */
  known({ clinician: { grantID } }: Request): string | undefined {
    return grantID === undefined ? undefined : this.#names.get(grantID);
  }

  async read(req: Request): Promise<string | undefined> {
    const { grantID, scope } = req.clinician;
    if (grantID === undefined || !scope.includes('basic')) return undefined;
    if (Date.now() > this.#clearAt) {
      this.#names.clear();
      this.#clearAt = Date.now() + TEN_MINUTES_MS;
    }
    if (!this.#names.has(grantID)) {
      const profile = await ifAvailable(() => this.#clinician.api(req).profile());
      if (profile) this.#names.set(grantID, profile.fullName);
    }
    return this.#names.get(grantID);
  }
}
