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

const CORE = 'OpenID Connect Core section 3.1.2.6';

/** The only one who decides what comes next; every screen returns here (decisions 28 to 36). */
export async function dispatch(
  instance: ProviderInstance,
  http: MockRequest,
  context: InteractionContext,
): Promise<ProviderResponse | Refused> {
  const { request, session, interaction } = context;
  const screen = nextScreen(instance, context);
  const refusal = request.prompt.has('none')
    ? refuseSilently(screen)
    : interaction?.hasSignedIn && session && refuseStranger(context);
  if (refusal) {
    if (interaction) instance.interactions.end(interaction);
    return { refusal, answer: respondError(instance, http, request, refusal, context.cookies) };
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

/** Decision 29: nothing is shown, nothing changes. */
function refuseSilently(screen: Screen | undefined): Refusal | undefined {
  if (screen === undefined) return undefined;
  if (screen === 'login') return new Refusal('login_required', 'Nobody is signed in', { decision: 29, source: CORE });
  if (screen === 'consent')
    return new Refusal('consent_required', 'The scope has not been approved', { decision: 29, source: CORE });
  return new Refusal('interaction_required', 'A page would have to be shown', { decision: 29, source: CORE });
}

/** Decision 33. */
function refuseStranger({ request, session }: InteractionContext): Refusal | undefined {
  if (request.hinted === undefined || request.hinted === session?.account) return undefined;
  return new Refusal('login_required', 'Somebody else signed in than id_token_hint names', {
    decision: 33,
    source: 'OpenID Connect Core section 3.1.2.1',
  });
}
