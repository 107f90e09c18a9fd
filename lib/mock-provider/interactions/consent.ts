import type { AuthorizationResponses } from '../protocol/authorization/authorization-response.js';
import type { Endpoint } from '../protocol/endpoint.js';
import { Refusal } from '../protocol/refusal.js';
import type { ConsentStore } from '../state/consents.js';
import type { Dispatch } from './dispatcher.js';
import type { InteractionLookup } from './interaction-context.js';
import { consentScreen } from './screens.js';

const OTHER_USER =
  'Another user is signed in with this browser. Nothing was approved. Check the account, then approve again.';

/** Creates POST /oauth/consent. */
export function createConsentEndpoint(
  lookup: InteractionLookup,
  consents: ConsentStore,
  responses: AuthorizationResponses,
  dispatch: Dispatch,
): Endpoint {
  return lookup.form((http, context) => {
    const { request, session, interaction } = context;
    const scope = request.scope.filter((token) => token !== 'email' || http.form.get('approve_email') === 'yes');
    if (http.form.get('decision') === 'deny' || scope.length === 0) {
      lookup.end(context);
      const description = 'The user denied the request';
      const refusal = new Refusal('user-approval-required', 'access_denied', description);
      return responses.refuse(http, request, refusal, context.cookies);
    }
    if (session === undefined) return dispatch(http, context);
    const { sub } = session.account;
    if (http.form.get('account') !== sub) return consentScreen(context, OTHER_USER);
    interaction.approvedBy = sub;
    consents.save(sub, request.client.id, request.scope, scope);
    return dispatch(http, context);
  });
}
