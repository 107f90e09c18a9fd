import type { MockRequest } from '../http/request.js';
import { cookieOf } from '../http/session-cookies.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { staleAnswer } from '../pages/stale-page.js';
import type { Refused } from '../protocol/refusal.js';
import { Refusal } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import type { Interaction } from '../state/interactions.js';

const SOURCE = 'RFC 6749 section 10.12';

/** Decision 39: a form counts only from the browser that it was shown in, and once. */
export function consumeForm(instance: ProviderInstance, http: MockRequest): Interaction | Refused {
  const interaction = http.isForm
    ? instance.interactions.get(http.form.get('interaction'), cookieOf(instance, http, 'interaction'))
    : undefined;
  if (interaction && instance.interactions.takeForm(interaction, http.form.get('form_token'))) return interaction;
  return refuseForm(http, interaction && `${PAGE_PATHS.resume}?interaction=${interaction.id}`);
}

/** The interaction that a page's address names, in the browser where it began. */
export function findInteraction(instance: ProviderInstance, http: MockRequest): Interaction | Refused {
  const interaction = instance.interactions.get(http.query.get('interaction'), cookieOf(instance, http, 'interaction'));
  if (interaction) return interaction;
  const refusal = new Refusal(
    'invalid_request',
    'This sign-in was finished, took too long, or began in another browser',
    {
      decision: 39,
      source: SOURCE,
    },
  );
  return { refusal, answer: staleAnswer(http, refusal) };
}

/** The answer to a form that does not count. */
export function refuseForm(http: MockRequest, goOn?: string): Refused {
  const refusal = new Refusal('invalid_request', 'This form was not shown in this browser, or was sent before', {
    decision: 39,
    source: SOURCE,
    status: 403,
  });
  return { refusal, answer: staleAnswer(http, refusal, goOn) };
}
