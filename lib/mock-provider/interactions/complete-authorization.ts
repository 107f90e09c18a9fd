import type { MockRequest } from '../http/request.js';
import type { Answer } from '../http/response.js';
import { respond } from '../protocol/authorization/authorization-response.js';
import { issueResponse } from '../protocol/authorization/issue-response.js';
import type { House } from '../provider-instance.js';
import type { Session } from '../state/sessions.js';
import type { Standing } from './interaction-context.js';

/** The successful authorization response (decision 36). */
export async function succeed(house: House, http: MockRequest, standing: Standing): Promise<Answer> {
  const { request, interaction, cookies } = standing;
  const session = standing.session as Session;
  const scope = interaction?.consent?.scope ?? request.scope;
  if (interaction) house.interactions.end(interaction);
  return respond(house, http, request, await issueResponse(house, http, request, session, scope), cookies);
}
