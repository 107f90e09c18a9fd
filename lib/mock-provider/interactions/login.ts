import type { Answer } from '../answer.js';
import type { House } from '../house.js';
import type { Refused } from '../refusal.js';
import type { MockRequest } from '../request.js';
import { dispatch } from './dispatcher.js';
import { showLogin } from './screens.js';
import { accountOfForm, startSession, WRONG_PASSWORD } from './sign-in.js';
import { standingOf } from './standing.js';
import { findInteraction, takeForm } from './take-form.js';

/** GET /oauth/login: also for somebody else than is signed in. Nothing changes before a password is given. */
export function loginScreen(house: House, http: MockRequest): Answer | Refused {
  const interaction = findInteraction(house, http);
  if ('refusal' in interaction) return interaction;
  return showLogin(house, http, standingOf(house, http, interaction));
}

/** POST /oauth/login */
export async function submitLogin(house: House, http: MockRequest): Promise<Answer | Refused> {
  const interaction = takeForm(house, http);
  if ('refusal' in interaction) return interaction;
  const standing = standingOf(house, http, interaction);
  const account = accountOfForm(house, http);
  if (account === undefined) {
    return showLogin(house, http, standing, { username: http.form.get('username') ?? '', problem: WRONG_PASSWORD });
  }
  const { session, cookies } = startSession(house, http, account);
  interaction.hasSignedIn = true;
  return dispatch(house, http, { ...standing, session, cookies });
}
