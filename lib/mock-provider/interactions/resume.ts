import type { MockRequest } from '../http/request.js';
import type { Answer } from '../http/response.js';
import type { Refused } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import { findInteraction } from './consume-form.js';
import { dispatch } from './dispatcher.js';
import { standingOf } from './interaction-context.js';

/** GET /oauth/resume: an authorization request that is under way, wherever it stands by now. */
export async function resume(house: House, http: MockRequest): Promise<Answer | Refused> {
  const interaction = findInteraction(house, http);
  if ('refusal' in interaction) return interaction;
  return dispatch(house, http, standingOf(house, http, interaction));
}
