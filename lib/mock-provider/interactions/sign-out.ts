import type { MockRequest } from '../http/request.js';
import { type Answer, redirectAnswer } from '../http/response.js';
import { cookie, cookieOf } from '../http/session-cookies.js';
import { refusalAsJSON } from '../pages/error-page.js';
import { pageAnswer } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { signedOutPage, signOutPage } from '../pages/sign-out-page.js';
import type { Refusal, Refused } from '../protocol/refusal.js';
import type { House } from '../provider-instance.js';
import { randomToken } from '../state/random.js';
import { refuseForm } from './consume-form.js';
import { sessionOf } from './current-session.js';
import { endSession } from './end-session.js';
import { nameOf } from './screens.js';

const PURPOSE = 'sign-out';

/**
 * For endpoints/logout.ts: the page of decisions 75 and 79, which signs nobody out by itself.
 * @param then where to go after "sign out anyway", when that address can be trusted; else a page says that it is done
 */
export function askToSignOut(house: House, http: MockRequest, refusal: Refusal, then?: string): Refused {
  const answer = http.prefersJSON
    ? refusalAsJSON(refusal)
    : showSignOut(house, http, { reason: refusal.reason, status: refusal.status, then });
  return { refusal, answer };
}

/** GET /oauth/sign-out: for somebody who wants to leave by themselves. */
export function signOutScreen(house: House, http: MockRequest): Answer {
  return showSignOut(house, http, { status: 200 });
}

/** POST /oauth/sign-out: ends the session and changes the browser state (decision 69). */
export function submitSignOut(house: House, http: MockRequest): Answer | Refused {
  const browserID = cookieOf(house, http, 'interaction');
  const then = http.isForm ? house.forms.take(PURPOSE, browserID, http.form.get('form_token')) : undefined;
  if (then === undefined) return refuseForm(http, PAGE_PATHS.signOut);
  const cookies = endSession(house, http);
  if (then !== '') return redirectAnswer(http.method, then, cookies);
  return pageAnswer({ title: 'You are signed out', body: signedOutPage(), cookies });
}

interface Asked {
  status: number;
  reason?: string | undefined;
  then?: string | undefined;
}

function showSignOut(house: House, http: MockRequest, { status, reason, then = '' }: Asked): Answer {
  const session = sessionOf(house, http);
  const browserID = cookieOf(house, http, 'interaction') ?? randomToken();
  const body = signOutPage({
    action: PAGE_PATHS.signOut,
    hidden: { form_token: house.forms.issue(PURPOSE, browserID, then) },
    personName: session && nameOf(session.account),
    reason,
  });
  return pageAnswer({ title: 'Sign out?', body, status, cookies: [cookie(house, 'interaction', browserID)] });
}
