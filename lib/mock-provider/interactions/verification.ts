import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import { pageResponse } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { verificationPage } from '../pages/verification-page.js';
import type { Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { consumeForm } from './consume-form.js';
import { currentSession } from './current-session.js';
import { signInAddress } from './direct-sign-in.js';
import { dispatch } from './dispatcher.js';
import { interactionContext } from './interaction-context.js';
import { nameOf } from './screens.js';
import { queueStatus } from './verification-queue.js';

/** GET /oauth/verification: where somebody stands, whenever they want to know. */
export function verificationScreen(instance: ProviderInstance, http: MockRequest): ProviderResponse {
  const session = currentSession(instance, http);
  if (session === undefined) return redirectResponse(http.method, signInAddress(PAGE_PATHS.verification));
  const { account } = session;
  const body = verificationPage({
    ...queueStatus(instance, account),
    personName: nameOf(account),
    again: PAGE_PATHS.verification,
  });
  return pageResponse({ title: 'Your verification', body });
}

/** POST /oauth/verification: on to the application, without waiting for the end of it. */
export async function submitVerification(
  instance: ProviderInstance,
  http: MockRequest,
): Promise<ProviderResponse | Refused> {
  const interaction = consumeForm(instance, http);
  if ('refusal' in interaction) return interaction;
  interaction.hasSeenVerification = true;
  return dispatch(instance, http, interactionContext(instance, http, interaction));
}
