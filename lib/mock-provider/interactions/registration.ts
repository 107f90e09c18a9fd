import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { ClinicianOptions } from '../options/clinician-options.js';
import type { Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { consumeForm, findInteraction } from './consume-form.js';
import { dispatch } from './dispatcher.js';
import { interactionContext } from './interaction-context.js';
import { type Registration, readRegistration } from './registration-form.js';
import { showRegistration } from './screens.js';
import { startSession } from './sign-in.js';
import { MAX_WAIT } from './verification-queue.js';

/** GET /oauth/registration */
export function registrationScreen(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const interaction = findInteraction(instance, http);
  if ('refusal' in interaction) return interaction;
  return showRegistration(instance, http, interactionContext(instance, http, interaction));
}

/** POST /oauth/registration (decision 31) */
export async function submitRegistration(
  instance: ProviderInstance,
  http: MockRequest,
): Promise<ProviderResponse | Refused> {
  const interaction = consumeForm(instance, http);
  if ('refusal' in interaction) return interaction;
  const context = interactionContext(instance, http, interaction);
  const registration = readRegistration(instance, http.form);
  if (Object.keys(registration.problems).length > 0) return showRegistration(instance, http, context, registration);
  const account = instance.accounts.register(accountFrom(registration, instance.rules.verification));
  const { session, cookies } = startSession(instance, http, account);
  interaction.hasRegistered = true;
  interaction.hasSignedIn = true;
  return dispatch(instance, http, { ...context, session, cookies });
}

function accountFrom(
  { values }: Registration,
  verification: ProviderInstance['rules']['verification'],
): ClinicianOptions {
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
    ...(verification === 'queued' ? { verifiedAfter: MAX_WAIT } : { verified: true }),
  };
}
