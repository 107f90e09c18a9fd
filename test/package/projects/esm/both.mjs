// Loads both builds in one process: each recognizes the errors of the other.
import { createRequire } from 'node:module';
import { clinicianLogin, isClinicianError } from 'passport-clinician';

const { clinicianLogin: other, isClinicianError: otherIsClinicianError } = createRequire(import.meta.url)(
  'passport-clinician',
);

function errorOf(make) {
  try {
    make({});
  } catch (error) {
    return error;
  }
  return undefined;
}

console.log(
  JSON.stringify({
    twoBuilds: clinicianLogin !== other,
    known: [isClinicianError(errorOf(other)), otherIsClinicianError(errorOf(clinicianLogin))],
  }),
);
