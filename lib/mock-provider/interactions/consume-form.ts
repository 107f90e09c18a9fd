import type { MockRequest } from '../http/request.js';
import { cookieOf } from '../http/session-cookies.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { staleResponse } from '../pages/stale-page.js';
import type { Refused } from '../protocol/refusal.js';
import { Refusal } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Interaction } from '../state/interactions.js';

/** Accepts a form once, from the browser that it was shown in. */
export function consumeForm(instance: ProviderInstance, http: MockRequest): Interaction | Refused {
  const interaction = http.isForm
    ? instance.interactions.get(http.form.get('interaction'), cookieOf(instance, http, 'interaction'))
    : undefined;
  if (interaction && instance.interactions.takeForm(interaction, http.form.get('form_token'))) return interaction;
  return refuseForm(http, interaction && `${PAGE_PATHS.resume}?interaction=${interaction.id}`);
}

/** @returns the interaction of a page's address, in the browser in which it started. */
export function findInteraction(instance: ProviderInstance, http: MockRequest): Interaction | Refused {
  const interaction = instance.interactions.get(http.query.get('interaction'), cookieOf(instance, http, 'interaction'));
  if (interaction) return interaction;
  const description = 'This sign-in was finished, took too long, or started in another browser';
  const refusal = new Refusal('interaction-in-one-browser', 'invalid_request', description);
  return { refusal, response: staleResponse(http, refusal) };
}

/** The response to a form that is not accepted. */
export function refuseForm(http: MockRequest, goOn?: string): Refused {
  const description = 'This form was not shown in this browser, or was already submitted';
  const refusal = new Refusal('form-token-single-use', 'invalid_request', description, { status: 403 });
  return { refusal, response: staleResponse(http, refusal, goOn) };
}
