import type { MockRequest } from '../http/request.js';
import type { ProviderResponse } from '../http/response.js';
import type { Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { findInteraction } from './consume-form.js';
import { dispatch } from './dispatcher.js';
import { interactionContext } from './interaction-context.js';

/** GET /oauth/resume: an authorization request that is under way, wherever it stands by now. */
export async function resume(instance: ProviderInstance, http: MockRequest): Promise<ProviderResponse | Refused> {
  const interaction = findInteraction(instance, http);
  if ('refusal' in interaction) return interaction;
  return dispatch(instance, http, interactionContext(instance, http, interaction));
}
