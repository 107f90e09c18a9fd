// Both builds in one process: what one throws, the other knows.
import { createRequire } from 'node:module';
import { clinicianLogin, isClinicianError } from 'passport-clinician';

const { clinicianLogin: other, isClinicianError: otherKnows } = createRequire(import.meta.url)('passport-clinician');

function thrownBy(make) {
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
    known: [isClinicianError(thrownBy(other)), otherKnows(thrownBy(clinicianLogin))],
  }),
);
