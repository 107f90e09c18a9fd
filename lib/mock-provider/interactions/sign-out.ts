import type { MockRequest } from '../http/request.js';
import { type ProviderResponse, redirectResponse } from '../http/response.js';
import { cookie, cookieOf } from '../http/session-cookies.js';
import { refusalJSON } from '../pages/error-page.js';
import { pageResponse } from '../pages/page.js';
import { PAGE_PATHS } from '../pages/paths.js';
import { signedOutPage, signOutPage } from '../pages/sign-out-page.js';
import type { Refusal, Refused } from '../protocol/refusal.js';
import type { ProviderInstance } from '../provider-instance.js';
import { randomToken } from '../state/random.js';
import { refuseForm } from './consume-form.js';
import { currentSession } from './current-session.js';
import { endSession } from './end-session.js';
import { nameOf } from './screens.js';

const PURPOSE = 'sign-out';

/**
 * For endpoints/logout.ts: the page of decisions 75 and 79, which signs nobody out by itself.
 * @param then where to go after "sign out anyway", when that address can be trusted; else a page says that it is done
 */
export function confirmSignOut(
  instance: ProviderInstance,
  http: MockRequest,
  refusal: Refusal,
  then?: string,
): Refused {
  const response = http.prefersJSON
    ? refusalJSON(refusal)
    : showSignOut(instance, http, { reason: refusal.reason, status: refusal.status, then });
  return { refusal, response };
}

/** GET /oauth/sign-out: for somebody who wants to leave by themselves. */
export function signOutScreen(instance: ProviderInstance, http: MockRequest): ProviderResponse {
  return showSignOut(instance, http, { status: 200 });
}

/** POST /oauth/sign-out: ends the session and changes the browser state (decision 69). */
export function submitSignOut(instance: ProviderInstance, http: MockRequest): ProviderResponse | Refused {
  const browserID = cookieOf(instance, http, 'interaction');
  const then = http.isForm ? instance.forms.take(PURPOSE, browserID, http.form.get('form_token')) : undefined;
  if (then === undefined) return refuseForm(http, PAGE_PATHS.signOut);
  const cookies = endSession(instance, http);
  if (then !== '') return redirectResponse(http.method, then, cookies);
  return pageResponse({ title: 'You are signed out', body: signedOutPage(), cookies });
}

interface Asked {
  status: number;
  reason?: string | undefined;
  then?: string | undefined;
}

function showSignOut(
  instance: ProviderInstance,
  http: MockRequest,
  { status, reason, then = '' }: Asked,
): ProviderResponse {
  const session = currentSession(instance, http);
  const browserID = cookieOf(instance, http, 'interaction') ?? randomToken();
  const body = signOutPage({
    action: PAGE_PATHS.signOut,
    hidden: { form_token: instance.forms.issue(PURPOSE, browserID, then) },
    personName: session && nameOf(session.account),
    reason,
  });
  return pageResponse({ title: 'Sign out?', body, status, cookies: [cookie(instance, 'interaction', browserID)] });
}
