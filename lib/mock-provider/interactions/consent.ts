import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { respondError } from '../protocol/authorization/authorization-response.js';
import type { Refused } from '../protocol/refusal.js';
import { Refusal } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { consumeForm } from './consume-form.js';
import { dispatch } from './dispatcher.js';
import { interactionContext } from './interaction-context.js';
import { showConsent } from './screens.js';

const CHANGED =
  'Another user is signed in with this browser. Nothing was approved. Check the account, then approve again.';

/** POST /oauth/consent */
export async function submitConsent(
  instance: ProviderInstance,
  http: MockRequest,
): Promise<ProviderResponse | Refused> {
  const interaction = consumeForm(instance, http);
  if ('refusal' in interaction) return interaction;
  const context = interactionContext(instance, http, interaction);
  const { request, session } = context;
  if (http.form.get('decision') === 'deny') {
    instance.interactions.end(interaction);
    const refusal = new Refusal('user-approval-required', 'access_denied', 'The user denied the request');
    return { refusal, response: respondError(instance, http, request, refusal) };
  }
  if (session === undefined) return dispatch(instance, http, context);
  const { sub } = session.account;
  if (http.form.get('account') !== sub) return showConsent(instance, http, context, CHANGED);
  const scope = request.scope.filter((word) => word !== 'email' || http.form.get('approve_email') === 'yes');
  interaction.consent = { sub, scope };
  instance.consents.remember(sub, request.client.id, request.scope, scope);
  return dispatch(instance, http, context);
}
