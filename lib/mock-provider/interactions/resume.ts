import type { Answer } from '../answer.js';
import type { House } from '../house.js';
import type { Refused } from '../refusal.js';
import type { MockRequest } from '../request.js';
import { dispatch } from './dispatcher.js';
import { standingOf } from './standing.js';
import { findInteraction } from './take-form.js';

/** GET /oauth/resume: an authorization request that is under way, wherever it stands by now. */
export async function resume(house: House, http: MockRequest): Promise<Answer | Refused> {
  const interaction = findInteraction(house, http);
  if ('refusal' in interaction) return interaction;
  return dispatch(house, http, standingOf(house, http, interaction));
}
