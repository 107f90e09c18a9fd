import type { MockRequest } from '../http/request.js';
import type { Answer } from '../http/response.js';
import type { Refused } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import type { ClinicianOptions } from '../state/clinician.js';
import { findInteraction, takeForm } from './consume-form.js';
import { dispatch } from './dispatcher.js';
import { standingOf } from './interaction-context.js';
import { type Registration, readRegistration } from './registration-form.js';
import { showRegistration } from './screens.js';
import { startSession } from './sign-in.js';
import { LONGEST_WAIT } from './verification-queue.js';

/** GET /oauth/registration */
export function registrationScreen(house: House, http: MockRequest): Answer | Refused {
  const interaction = findInteraction(house, http);
  if ('refusal' in interaction) return interaction;
  return showRegistration(house, http, standingOf(house, http, interaction));
}

/** POST /oauth/registration (decision 31) */
export async function submitRegistration(house: House, http: MockRequest): Promise<Answer | Refused> {
  const interaction = takeForm(house, http);
  if ('refusal' in interaction) return interaction;
  const standing = standingOf(house, http, interaction);
  const registration = readRegistration(house, http.form);
  if (Object.keys(registration.problems).length > 0) return showRegistration(house, http, standing, registration);
  const account = house.accounts.register(accountFrom(registration, house.rules.verification));
  const { session, cookies } = startSession(house, http, account);
  interaction.hasRegistered = true;
  interaction.hasSignedIn = true;
  return dispatch(house, http, { ...standing, session, cookies });
}

function accountFrom({ values }: Registration, verification: House['rules']['verification']): ClinicianOptions {
  const { firstName, lastName, credentials, specialty, email, password, npi } = values;
  return {
    username: email,
    password,
    email,
    npi: Number(npi),
    firstName,
    lastName,
    fullName: `${firstName} ${lastName}, ${credentials}`,
    credentials,
    specialty,
    colleagueCount: 0,
    ...(verification === 'queued' ? { verifiedAfter: LONGEST_WAIT } : { verified: true }),
  };
}
