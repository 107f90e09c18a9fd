import type { MockRequest } from '../http/request.js';
import { type Answer, redirectAnswer } from '../http/response.js';
import { pageAnswer } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { verificationPage } from '../pages/verification-page.js';
import type { Refused } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import { takeForm } from './consume-form.js';
import { sessionOf } from './current-session.js';
import { signInAddress } from './direct-sign-in.js';
import { dispatch } from './dispatcher.js';
import { standingOf } from './interaction-context.js';
import { nameOf } from './screens.js';
import { queueStanding } from './verification-queue.js';

/** GET /oauth/verification: where somebody stands, whenever they want to know. */
export function verificationScreen(house: House, http: MockRequest): Answer {
  const session = sessionOf(house, http);
  if (session === undefined) return redirectAnswer(http.method, signInAddress(PAGE_PATHS.verification));
  const { account } = session;
  const body = verificationPage({
    ...queueStanding(house, account),
    personName: nameOf(account),
    again: PAGE_PATHS.verification,
  });
  return pageAnswer({ title: 'Your verification', body });
}

/** POST /oauth/verification: on to the application, without waiting for the end of it. */
export async function submitVerification(house: House, http: MockRequest): Promise<Answer | Refused> {
  const interaction = takeForm(house, http);
  if ('refusal' in interaction) return interaction;
  interaction.hasSeenVerification = true;
  return dispatch(house, http, standingOf(house, http, interaction));
}
