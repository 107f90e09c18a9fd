import type { Answer } from '../answer.js';
import type { House } from '../house.js';
import { respond } from '../protocol/authorization/authorization-response.js';
import { issueResponse } from '../protocol/authorization/issue-response.js';
import type { MockRequest } from '../request.js';
import type { Session } from '../stores/sessions.js';
import type { Standing } from './standing.js';

/** The successful authorization response (decision 36). */
export async function succeed(house: House, http: MockRequest, standing: Standing): Promise<Answer> {
  const { request, interaction, cookies } = standing;
  const session = standing.session as Session;
  const scope = interaction?.consent?.scope ?? request.scope;
  if (interaction) house.interactions.end(interaction);
  return respond(house, http, request, await issueResponse(house, http, request, session, scope), cookies);
}
