import type { ClinicianOptions } from '../options/clinician-options.js';
import type { ResolvedOptions } from '../options/resolve-provider-options.js';
import type { AccountStore } from '../state/accounts.js';
import type { BrowserSessions } from './browser-sessions.js';
import type { Dispatch } from './dispatcher.js';
import type { InteractionLookup } from './interaction-context.js';
import { type Registration, readRegistration } from './registration-form.js';
import { registrationScreen } from './screens.js';
import type { PageEndpoints } from './sign-in.js';

/** Limits the time in the manual queue (service spec: profile). */
const MAX_WAIT = '3 days';

/** Creates GET and POST /oauth/registration. */
export function createRegistrationPage(
  lookup: InteractionLookup,
  accounts: AccountStore,
  verification: ResolvedOptions['verification'],
  browserSessions: BrowserSessions,
  dispatch: Dispatch,
): PageEndpoints {
  return {
    GET: lookup.page((_http, context) => registrationScreen(context)),
    POST: lookup.form((http, context) => {
      const registration = readRegistration(http.form, accounts);
      if (Object.keys(registration.problems).length > 0) return registrationScreen(context, registration);
      const account = accounts.register(accountFrom(registration, verification));
      const { session, cookies } = browserSessions.start(http, account);
      context.interaction.hasRegistered = true;
      context.interaction.hasSignedIn = true;
      return dispatch(http, { ...context, session, cookies });
    }),
  };
}

function accountFrom({ values }: Registration, verification: ResolvedOptions['verification']): ClinicianOptions {
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
