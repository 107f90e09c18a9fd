import type { RequestHandler } from 'express';
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
 * Sets `res.locals.userName`, for the header of the pages. Names are in memory for ten minutes at most, because this site stores a
 * profile only with the user's agreement.
 */
export function readUserName(clinician: ClinicianLogin): RequestHandler {
  const names = new Map<string, string | undefined>();
  let clearAt = 0;

  return async function userName(req, res, next) {
    const { grantID, scope } = req.clinician;
    if (grantID === undefined || !scope.includes('basic')) return next();
    if (Date.now() > clearAt) {
      names.clear();
      clearAt = Date.now() + TEN_MINUTES_MS;
    }
    if (!names.has(grantID)) {
      const profile = await ifAvailable(() => clinician.api(req).profile());
      if (profile) names.set(grantID, profile.fullName);
    }
    res.locals.userName = names.get(grantID);
    next();
  };
}
