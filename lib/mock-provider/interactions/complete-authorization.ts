import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import { respond } from '../protocol/authorization/authorization-response.js';
import { issueResponse } from '../protocol/authorization/issue-response.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Session } from '../state/sessions.js';
import type { InteractionContext } from './interaction-context.js';

/** The successful authorization response (decision 36). */
export async function completeAuthorization(
  instance: ProviderInstance,
  http: MockRequest,
  context: InteractionContext,
): Promise<ProviderResponse> {
  const { request, interaction, cookies } = context;
  const session = context.session as Session;
  const scope = interaction?.consent?.scope ?? request.scope;
  if (interaction) instance.interactions.end(interaction);
  return respond(instance, http, request, await issueResponse(instance, request, session, scope), cookies);
}
