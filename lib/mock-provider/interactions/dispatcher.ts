import { PATHS } from '../http/paths.js';
import type { MockRequest } from '../http/request.js';
import { type Answer, redirectAnswer } from '../http/response.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { respondError } from '../protocol/authorization/authorization-response.js';
import type { Refused } from '../protocol/refusal.js';
import { Refusal } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import { succeed } from './complete-authorization.js';
import { nextScreen, type Screen, type Standing } from './interaction-context.js';
import { beginInteraction, SCREENS } from './screens.js';

const CORE = 'OpenID Connect Core section 3.1.2.6';

/** The only one who decides what comes next; every screen returns here (decisions 28 to 36). */
export async function dispatch(house: House, http: MockRequest, standing: Standing): Promise<Answer | Refused> {
  const { request, session, interaction } = standing;
  const screen = nextScreen(house, standing);
  const refusal = request.prompt.has('none')
    ? refuseSilently(screen)
    : interaction?.hasSignedIn && session && refuseStranger(standing);
  if (refusal) {
    if (interaction) house.interactions.end(interaction);
    return { refusal, answer: respondError(house, http, request, refusal, standing.cookies) };
  }
  return screen === undefined ? succeed(house, http, standing) : present(house, http, standing, screen);
}

/** A screen is shown at an address of its own, so that reloading it and coming back to it send no form twice. */
function present(house: House, http: MockRequest, standing: Standing, screen: Screen): Answer {
  if (http.method !== 'POST' || http.path === PATHS.authorize) return SCREENS[screen](house, http, standing);
  const { id } = beginInteraction(house, http, standing);
  return redirectAnswer(http.method, `${PAGE_PATHS.resume}?interaction=${id}`, standing.cookies);
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
function refuseStranger({ request, session }: Standing): Refusal | undefined {
  if (request.hinted === undefined || request.hinted === session?.account) return undefined;
  return new Refusal('login_required', 'Somebody else signed in than id_token_hint names', {
    decision: 33,
    source: 'OpenID Connect Core section 3.1.2.1',
  });
}
