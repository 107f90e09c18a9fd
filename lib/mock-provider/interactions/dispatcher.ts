import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { respondError } from '../protocol/authorization/authorization-response.js';
import type { Refused } from '../protocol/refusal.js';
import { Refusal } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { completeAuthorization } from './complete-authorization.js';
import { type InteractionContext, nextScreen, type Screen } from './interaction-context.js';
import { beginInteraction, SCREENS } from './screens.js';

/** Decides the next step of an authorization; every screen returns here. */
export async function dispatch(
  instance: ProviderInstance,
  http: MockRequest,
  context: InteractionContext,
): Promise<ProviderResponse | Refused> {
  const { request, session, interaction } = context;
  const screen = nextScreen(instance, context);
  const refusal = request.prompt.has('none')
    ? refuseSilently(screen)
    : interaction?.hasSignedIn && session && refuseOtherUser(context);
  if (refusal) {
    if (interaction) instance.interactions.end(interaction);
    return { refusal, response: respondError(instance, http, request, refusal, context.cookies) };
  }
  return screen === undefined
    ? completeAuthorization(instance, http, context)
    : present(instance, http, context, screen);
}

/** A screen is shown at an address of its own, so that reloading it and coming back to it send no form twice. */
function present(
  instance: ProviderInstance,
  http: MockRequest,
  context: InteractionContext,
  screen: Screen,
): ProviderResponse {
  if (http.method !== 'POST' || http.path === PATHS.authorize) return SCREENS[screen](instance, http, context);
  const { id } = beginInteraction(instance, http, context);
  return redirectResponse(http.method, `${PAGE_PATHS.resume}?interaction=${id}`, context.cookies);
}

function refuseSilently(screen: Screen | undefined): Refusal | undefined {
  if (screen === undefined) return undefined;
  const refuse = (error: string, description: string) => new Refusal('prompt-none-without-ui', error, description);
  if (screen === 'login') return refuse('login_required', 'No user is signed in');
  if (screen === 'consent') return refuse('consent_required', 'The scope has not been approved');
  return refuse('interaction_required', 'A page would have to be shown');
}

function refuseOtherUser({ request, session }: InteractionContext): Refusal | undefined {
  if (request.hinted === undefined || request.hinted === session?.account) return undefined;
  return new Refusal('id-token-hint-user', 'login_required', 'The user does not match id_token_hint');
}
