import type { MockRequest } from '../http/request.js';
import type { Answer } from '../http/response.js';
import type { Refused } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import { findInteraction, takeForm } from './consume-form.js';
import { dispatch } from './dispatcher.js';
import { standingOf } from './interaction-context.js';
import { showLogin } from './screens.js';
import { accountOfForm, startSession, WRONG_PASSWORD } from './sign-in.js';

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
