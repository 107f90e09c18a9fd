import { clinicianLogin, isClinicianError } from 'passport-clinician';
import { settings } from './settings.mjs';
import { tokenStore } from './stores.mjs';

const clinician = clinicianLogin({ ...settings, tokenStore });

// A job of your queue. `grantID` is `req.clinician.grantID` of the request that added it.
export async function sendDigest({ grantID }) {
  try {
    const { firstName } = await clinician.grantOf(grantID).api.profile();
    return `Sent to ${firstName}`;
  } catch (error) {
    if (isClinicianError(error) && error.remedy === 'sign_in') return 'Skipped: the user has signed out';
    throw error; // repeat the job: `retryable` and `retryAt` of the error say whether and when
  }
}

process.once('SIGTERM', () => clinician.close());
