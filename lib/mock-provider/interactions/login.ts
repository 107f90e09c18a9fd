import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { consumeForm, findInteraction } from './consume-form.js';
import { dispatch } from './dispatcher.js';
import { interactionContext } from './interaction-context.js';
import { showLogin } from './screens.js';
import { accountOfForm, startSession, WRONG_PASSWORD } from './sign-in.js';

/** GET /oauth/login: also for somebody else than is signed in. Nothing changes before a password is given. */
export function loginScreen(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const interaction = findInteraction(instance, http);
  if ('refusal' in interaction) return interaction;
  return showLogin(instance, http, interactionContext(instance, http, interaction));
}

/** POST /oauth/login */
export async function submitLogin(instance: ProviderInstance, http: MockRequest): Promise<ProviderResponse | Refused> {
  const interaction = consumeForm(instance, http);
  if ('refusal' in interaction) return interaction;
  const context = interactionContext(instance, http, interaction);
  const account = accountOfForm(instance, http);
  if (account === undefined) {
    return showLogin(instance, http, context, { username: http.form.get('username') ?? '', problem: WRONG_PASSWORD });
  }
  const { session, cookies } = startSession(instance, http, account);
  interaction.hasSignedIn = true;
  return dispatch(instance, http, { ...context, session, cookies });
}
