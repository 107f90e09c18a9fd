import type { MockRequest } from '../http/request.js';
import type { Answer } from '../http/response.js';
import { respondError } from '../protocol/authorization/authorization-response.js';
import type { Refused } from '../protocol/refusal.js';
import { Refusal } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import { takeForm } from './consume-form.js';
import { dispatch } from './dispatcher.js';
import { standingOf } from './interaction-context.js';
import { showConsent } from './screens.js';

const CHANGED = 'Somebody else has signed in with this browser since. Nothing was approved: please look at it again.';

/** POST /oauth/consent */
export async function submitConsent(house: House, http: MockRequest): Promise<Answer | Refused> {
  const interaction = takeForm(house, http);
  if ('refusal' in interaction) return interaction;
  const standing = standingOf(house, http, interaction);
  const { request, session } = standing;
  if (http.form.get('decision') === 'deny') {
    house.interactions.end(interaction);
    const details = { decision: 35, source: 'spec, Errors' };
    const refusal = new Refusal('access_denied', 'The user denied the request', details);
    return { refusal, answer: respondError(house, http, request, refusal) };
  }
  if (session === undefined) return dispatch(house, http, standing);
  const { sub } = session.account;
  if (http.form.get('account') !== sub) return showConsent(house, http, standing, CHANGED);
  const scope = request.scope.filter((word) => word !== 'email' || http.form.get('approve_email') === 'yes');
  interaction.consent = { sub, scope };
  house.consents.remember(sub, request.client.id, request.scope, scope);
  return dispatch(house, http, standing);
}
